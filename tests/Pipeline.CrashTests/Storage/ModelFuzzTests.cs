using System.Diagnostics;
using Pipeline.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// Compares a whole store with sorted dictionaries, on real files and in memory: random operations with values of 0 to
/// 16 MiB, failing operations, held snapshots, flushes, compactions and reopenings. PIPELINE_FUZZ_MINUTES sets how
/// long, PIPELINE_SEED the first seed.
/// </summary>
public sealed class ModelFuzzTests(ITestOutputHelper output)
{
    [Fact]
    public async Task A_store_behaves_as_sorted_dictionaries()
    {
        var time = LongRuns.Duration(TimeSpan.FromSeconds(4));
        var watch = Stopwatch.StartNew();
        var (rounds, operations, bytes, moved) = (0, 0L, 0L, 0L);
        for (var seed = LongRuns.FirstSeed; rounds == 0 || watch.Elapsed < time; seed++, rounds++)
        {
            var folder = Directory.CreateTempSubdirectory("pipeline-fuzz-").FullName;
            try
            {
                using var fuzz = new ModelFuzz(seed, seed % 4 == 0 ? null : folder);
                for (var step = 0; step < 120; step++)
                {
                    var fault = await fuzz.StepAsync();
                    Assert.True(fault is null, $"PIPELINE_SEED={seed}, step {step}: {fault}");
                }
                Assert.True(fuzz.Finish() is null, $"PIPELINE_SEED={seed}: {fuzz.Fault}");
                operations += fuzz.Operations;
                bytes += fuzz.BytesPut;
                moved += fuzz.PagesMoved;
            }
            finally
            {
                Directory.Delete(folder, recursive: true);
            }
        }
        output.WriteLine(
            $"{rounds} rounds, {operations} operations, {bytes >> 20} MiB put, {moved} pages moved in {watch.Elapsed.TotalSeconds:f0} s"
        );
        Assert.True(operations > 300 && moved > 0);
    }
}
