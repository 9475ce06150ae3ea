using Pipeline.Database;
using Pipeline.Database.Indexes;
using Xunit;

namespace Pipeline.CrashTests.Scripts;

/// <summary>
/// An index whose batch ends the process, by a stack overflow that nobody can catch, ended it again at each start.
/// </summary>
public sealed class DeadlyIndexTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-deadly-index-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task An_index_that_ended_the_process_three_times_starts_disabled_and_says_why()
    {
        for (var end = 0; end < 3; end++)
            Assert.Contains(await RunAsync("overflow"), DeadlyChild.Aborted);
        await using (var database = ScriptedChild.Open(_folder))
        {
            var index = database.Indexes.Get(IndexChild.Index)!;
            Assert.Equal(IndexState.Disabled, index.State);
            Assert.Contains("ended 3 times in a row", index.Failure, StringComparison.Ordinal);
        }

        // It is disabled at the next start, too, until somebody enables it.
        await using (var database = ScriptedChild.Open(_folder))
        {
            Assert.Equal(IndexState.Disabled, database.Indexes.Get(IndexChild.Index)!.State);
            await database.Indexes.SetStateAsync(IndexChild.Index, IndexState.Normal);
            Assert.True(await database.Indexes.WaitAsync(IndexChild.Index));
            Assert.Null(database.Indexes.Get(IndexChild.Index)!.Failure);
        }
    }

    [Fact]
    public async Task An_index_is_disabled_soon_although_documents_before_the_deadly_one_are_indexed_at_each_start()
    {
        await ScriptedChild.FillAsync(_folder);
        await DeadlyChild.AssertEndsSoonAsync(() => RunAsync("overflow"));
        await using var database = ScriptedChild.Open(_folder);
        Assert.Equal(IndexState.Disabled, database.Indexes.Get(IndexChild.Index)!.State);
    }

    [Fact]
    public async Task A_process_that_is_killed_within_a_batch_disables_nothing()
    {
        await RunAsync("stand");
        await using (var database = ScriptedChild.Open(_folder))
        {
            Assert.Equal(IndexState.Normal, database.Indexes.Get(IndexChild.Index)!.State);
            Assert.True(await database.Indexes.WaitAsync(IndexChild.Index));
        }

        // The batch that was finished counts: a second kill is a first one again.
        await RunAsync("stand");
        await using (var database = ScriptedChild.Open(_folder))
            Assert.Equal(IndexState.Normal, database.Indexes.Get(IndexChild.Index)!.State);
    }

    private Task<int> RunAsync(string how) =>
        DeadlyChild.RunAsync(["index-death", _folder, how], killAt: IndexChild.Standing);
}
