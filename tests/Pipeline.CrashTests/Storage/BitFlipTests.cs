using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Storage;

public sealed class BitFlipTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(false, true)]
    public async Task A_flipped_bit_is_noticed_or_harmless_and_never_gives_wrong_data(bool closed, bool encrypted)
    {
        const int seed = 5;
        var workload = new CrashWorkload(seed, 60, encrypted: encrypted);
        await workload.RunAsync();
        var log = workload.Disk.Log;
        var replay = new CrashReplay();
        // Not closed: a crash at the end of the last operation, with some of them in the journal alone.
        var end = closed ? log.Count : log.Select((e, i) => (e, i)).Last(e => e.e.Kind == DiskEventKind.Mark).i + 1;
        foreach (var happening in log.Take(end))
            replay.Apply(happening);
        var random = new Random(seed);
        var (noticed, harmless) = (0, 0);
        for (var flip = 0; flip < 300; flip++)
        {
            var disk = replay.Crash(random, CrashMode.KeepAll);
            var path = disk.Paths[random.Next(disk.Paths.Count)];
            var bytes = disk.Get(path);
            if (bytes.Length == 0)
                continue;
            var at = random.NextInt64(bytes.Length * 8L);
            bytes[at / 8] ^= (byte)(1 << (int)(at % 8));
            disk.Put(path, bytes);
            var where = $"seed {seed}, closed {closed}, encrypted {encrypted}, flip {flip}: bit {at % 8} of byte {at / 8} of {path}";
            try
            {
                using var environment = StorageEnvironment.Open(CrashWorkload.Options(disk, StorageFaults.None, encrypted));
                using var read = environment.BeginRead();
                var found = StoreModel.OperationsIn(read);
                // A flip in the journal's very last entry looks like the end that a power cut has torn.
                var allowed = !closed && path.EndsWith(".journal", StringComparison.Ordinal) ? 1 : 0;
                Assert.True(found >= workload.Model.Count - allowed, $"{where}: {found} of {workload.Model.Count} operations are there");
                var difference = workload.Model.Difference(read, found);
                Assert.True(difference is null, $"{where}: {difference}");
                harmless++;
            }
            catch (StorageException e)
            {
                Assert.True(e is CorruptPageException or JournalCorruptException, $"{where}: {e}");
                if (e is CorruptPageException page)
                    Assert.True(page.Page == at / 8 / PageLayout.PageSize || IsRunOf(page.Page, at), $"{where}: page {page.Page} was named");
                noticed++;
            }
        }
        output.WriteLine($"{noticed} noticed, {harmless} harmless");
        Assert.True(noticed > 10 && harmless > 10);

        static bool IsRunOf(long page, long bit) => page < 2 || (bit / 8 / PageLayout.PageSize > page && (bit / 8 / PageLayout.PageSize) - page < 8);
    }
}
