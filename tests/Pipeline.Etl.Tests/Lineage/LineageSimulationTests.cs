using Pipeline.Database;
using Pipeline.Etl.Runner;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Etl.Tests.Lineage;

/// <summary>
/// Random histories of one database: writes, runs of a task, copies of the folder, and copies that replace the original
/// or run alongside it.
/// </summary>
public sealed class LineageSimulationTests
{
    [Fact]
    public async Task Nothing_is_left_out_or_written_twice_and_each_life_that_has_run_waits_for_a_decision()
    {
        var decisions = 0;
        for (var seed = 1; seed <= 10; seed++)
            decisions += await RunHistoryAsync(seed);
        Assert.True(decisions > 3, $"{decisions} decisions");
    }

    /// <returns>How often a person had to decide.</returns>
    private static async Task<int> RunHistoryAsync(int seed)
    {
        var random = new Random(seed);
        using var f = new LineageFixture();
        List<(string Folder, List<int> Documents)> copies = [];
        List<int> documents = [];
        (var next, var folders, var decisions) = (1, 0, 0);
        for (var step = 0; step < 14; step++)
        {
            var count = random.Next(1, 5);
            switch (random.Next(6))
            {
                case 0:
                    // Written, not sent.
                    await using (var database = LineageFixture.Open(f.Data))
                        await LineageFixture.PutAsync(database, next, count);
                    Add(count);
                    break;
                case 1 when Directory.Exists(f.Data):
                    var copy = f.Data + ++folders;
                    TestFolder.Copy(f.Data, copy);
                    copies.Add((copy, [.. documents]));
                    break;
                case 2 or 5 when copies.Count > 0:
                    (var folder, var then) = copies[random.Next(copies.Count)];
                    if (random.Next(2) == 0)
                        Directory.Delete(f.Data, recursive: true);
                    TestFolder.Copy(folder, f.Data);
                    documents = [.. then];
                    break;
                case 3 when copies.Count > 0:
                    // Alongside the original: the copy must not send the original's messages.
                    var before = f.Sent().Length;
                    (var beside, _) = copies[random.Next(copies.Count)];
                    var other = f.Data + ++folders;
                    TestFolder.Copy(beside, other);
                    if ((await f.WriteAndRunAsync(next, count, other)).State == EtlTaskState.Blocked)
                        Assert.Equal(before, f.Sent().Length);
                    next += count;
                    break;
                default:
                    await RunAsync(count);
                    break;
            }
        }

        await RunAsync(1);
        Assert.Equal([], documents.Except(f.Sent()));
        string[] ids = [.. f.Lines().Select(l => l.GetProperty("id").GetString()!)];
        Assert.Equal(ids.Distinct(), ids);
        return decisions;

        async Task RunAsync(int count)
        {
            var status = await f.WriteAndRunAsync(next, count);
            Add(count);
            if (status.State != EtlTaskState.Blocked)
                return;
            decisions++;
            await f.ResumeAsync("position");
            Assert.NotEqual(EtlTaskState.Blocked, (await f.WriteAndRunAsync(next, 0)).State);
        }

        void Add(int count)
        {
            for (var i = 0; i < count; i++)
                documents.Add(next++);
        }
    }
}
