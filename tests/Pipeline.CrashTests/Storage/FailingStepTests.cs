using Pipeline.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// Each allocation, each place between two steps and each call to the disk, of commit, flush, opening and closing,
/// fails once.
/// </summary>
public sealed class FailingStepTests(ITestOutputHelper output)
{
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(1);

    [Theory]
    [InlineData(false, true)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    public async Task A_step_that_fails_loses_nothing_and_blocks_nobody(bool encrypted, bool memory)
    {
        var places = new SortedDictionary<string, int>(StringComparer.Ordinal);
        var steps = int.MaxValue;
        // The other kinds differ little; PIPELINE_FUZZ_MINUTES has all of them fail.
        var every = encrypted || !memory ? 5 : 1;
        for (var at = 0; at < steps; at += LongRuns.AreOn ? 1 : every)
        {
            var workload = new FailingStepWorkload(encrypted);
            var number = at;
            // Without the timeout, a step that nothing resumes would hang the test.
            var run = Task.Run(() =>
                workload.Run(number, memory ? new InsufficientMemoryException("planted") : new IOException("planted"))
            );
            Assert.True(
                await Task.WhenAny(run, Task.Delay(Longest)) == run,
                $"step {at} ({workload.FailedAt}): nothing goes on"
            );
            Assert.True(!run.IsFaulted, $"step {at} ({workload.FailedAt}): {run.Exception}");
            var taken = await run;
            if (workload.FailedAt is null)
                steps = at;
            Assert.True(workload.Fault is null, $"step {at} of {taken} ({workload.FailedAt}): {workload.Fault}");
            var place = (workload.FailedAt ?? "end").Split(' ')[0];
            places[place] = places.GetValueOrDefault(place) + 1;
            workload.Disk.Dispose();
        }
        output.WriteLine($"{steps} steps failed: {string.Join(", ", places.Select(p => $"{p.Key} {p.Value}"))}");
        Assert.True(places.Values.Sum() > 100, $"only {steps} steps");
    }
}
