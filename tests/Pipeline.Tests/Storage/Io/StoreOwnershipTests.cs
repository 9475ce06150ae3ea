using System.Text;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Tests.Storage.Io;

/// <summary>A store keeps others out of its data file and of its journal, also where they share a folder or a lock file was removed.</summary>
public sealed class StoreOwnershipTests
{
    private static StorageOptions Options(string path, string? journal = null) => new() { Path = path, JournalPath = journal, MaxDataFileBytes = 1 << 30, FlushInterval = TimeSpan.FromHours(10) };

    private static Task<bool> PutAsync(StorageEnvironment environment, int i) => environment.WriteAsync(t => t.CreateTree("t").Put(Encoding.UTF8.GetBytes($"{i:d5}"), new byte[100]));

    [Fact]
    public async Task A_store_is_not_opened_twice_though_its_lock_file_was_removed()
    {
        using var folder = new TempFolder();
        using var environment = StorageEnvironment.Open(Options(folder.Path));
        await PutAsync(environment, 1);
        File.Delete(Path.Combine(folder.Path, "pipeline.lock"));
        File.Delete(Path.Combine(folder.Path, "journal", "journal.lock"));
        var error = Assert.Throws<StoreInUseException>(() => StorageEnvironment.Open(Options(folder.Path)));
        Assert.Contains("pipeline.data", error.Message, StringComparison.Ordinal);
        Assert.Throws<StoreInUseException>(() => OfflineStore.Open(Options(folder.Path)));
        await PutAsync(environment, 2);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_journal_folder_belongs_to_one_store(bool isOpen)
    {
        using var first = new TempFolder();
        using var second = new TempFolder();
        using var journal = new TempFolder();
        var environment = StorageEnvironment.Open(Options(first.Path, journal.Path));
        for (var i = 0; i < 200; i++)
            await PutAsync(environment, i);
        if (!isOpen)
            environment.Dispose();
        var files = Files(journal.Path);
        var error = Assert.Throws<ForeignJournalException>(() => StorageEnvironment.Open(Options(second.Path, journal.Path)));
        Assert.Contains(first.Path, error.Message, StringComparison.Ordinal);
        Assert.Equal(files, Files(journal.Path));
        using (var other = StorageEnvironment.Open(Options(second.Path)))
            await PutAsync(other, 1);
        Assert.Throws<ForeignJournalException>(() => new StoreRestore(Options(Path.Combine(second.Path, "restored"), journal.Path)).Dispose());
        Assert.Equal(files, Files(journal.Path));
        environment.Dispose();
        using var again = StorageEnvironment.Open(Options(first.Path, journal.Path));
        using var read = again.BeginRead();
        Assert.Equal(200, read.OpenTree("t").Count);
    }

    [Fact]
    public async Task A_foreign_file_in_the_journal_folder_is_neither_used_nor_deleted()
    {
        using var first = new TempFolder();
        using var second = new TempFolder();
        using (var other = StorageEnvironment.Open(Options(second.Path)))
            await PutAsync(other, 1);
        using (var environment = StorageEnvironment.Open(Options(first.Path)))
            await PutAsync(environment, 1);
        var strange = Path.Combine(first.Path, "journal", "00000000000000ff.journal");
        File.Copy(Files(Path.Combine(second.Path, "journal"))[0], strange);
        var error = Assert.Throws<ForeignJournalException>(() => StorageEnvironment.Open(Options(first.Path)));
        Assert.Equal(strange, error.Path);
        Assert.Contains(second.Path, error.Owner, StringComparison.Ordinal);
        using (var offline = OfflineStore.Open(Options(first.Path)))
            Assert.Contains(offline.Problems, p => p.ToString().Contains(second.Path, StringComparison.Ordinal));
        File.Delete(strange);
        using var again = StorageEnvironment.Open(Options(first.Path));
        using var read = again.BeginRead();
        Assert.Equal(1, read.OpenTree("t").Count);
    }

    private static string[] Files(string journal) => [.. Directory.GetFiles(journal, "*.journal").Order(StringComparer.Ordinal)];
}
