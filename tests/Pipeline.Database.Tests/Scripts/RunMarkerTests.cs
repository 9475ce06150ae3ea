using Pipeline.Documents;
using Xunit;

namespace Pipeline.Database.Tests.Scripts;

/// <summary>Processes that end are copies of the marker's file, taken while they lived.</summary>
public sealed class RunMarkerTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;
    private int _files;

    [Fact]
    public async Task Three_ends_within_runs_in_a_row_block_until_it_is_forgiven()
    {
        var file = await EndsAsync(NewFile(), within: true, through: 100);
        Assert.False(IsBlocked(file));
        file = await EndsAsync(file, within: true, through: 100);
        Assert.False(IsBlocked(file));
        file = await EndsAsync(file, within: true, through: 100);
        Assert.True(IsBlocked(file));

        // A start that runs nothing, or ends elsewhere, changes nothing.
        file = await EndsAsync(file, within: false);
        Assert.True(IsBlocked(file));
        using (var marker = Open(file))
            marker.Forgive();
        Assert.False(File.Exists(file));
    }

    [Fact]
    public async Task An_end_outside_of_runs_begins_the_row_anew()
    {
        var file = NewFile();
        for (var i = 0; i < 4; i++)
        {
            file = await EndsAsync(file, within: true, through: 100);
            file = await EndsAsync(file, within: true, through: 100);
            file = await EndsAsync(file, within: false);
            using var marker = Open(Copy(file));
            Assert.Equal(0, marker.Ends);
            Assert.Equal(3, marker.ChangesAfter(0));
        }
    }

    [Fact]
    public async Task A_run_ends_where_it_is_disposed()
    {
        var file = NewFile();
        using var marker = Open(file);
        using (await marker.EnterAsync(default))
            marker.Mark(100);
        using var next = Open(Copy(file));
        Assert.Equal(0, next.Ends);
    }

    [Fact]
    public async Task Nothing_counts_before_the_script_runs()
    {
        var file = NewFile();
        using var marker = Open(file);
        using var run = await marker.EnterAsync(default);
        using var next = Open(Copy(file));
        Assert.Equal(0, next.Ends);
    }

    [Fact]
    public async Task Runs_take_a_part_of_the_suspects_until_all_of_them_are_done()
    {
        var file = await EndsAsync(NewFile(), within: true, through: 1_064);
        using (var marker = Open(file))
        {
            Assert.Equal(32, marker.ChangesAfter(40));
            Assert.Equal(1, marker.ChangesAfter(1_050));
            Assert.Equal(int.MaxValue, marker.ChangesAfter(1_064));
            marker.Pass(1_063);
            Assert.Equal(1, marker.ChangesAfter(1_063));
            marker.Pass(1_064);
            Assert.Equal(int.MaxValue, marker.ChangesAfter(40));
        }

        Assert.False(File.Exists(file));
    }

    [Fact]
    public async Task Durable_results_before_the_suspects_begin_the_row_anew()
    {
        var file = await EndsAsync(NewFile(), within: true, through: 1_000);
        file = await EndsAsync(file, within: true, through: 900);
        using (var marker = Open(file))
        {
            marker.Pass(800);
            Assert.Equal(0, marker.Ends);
        }

        // The suspects are still known: the next process runs them in parts.
        using var next = Open(file);
        Assert.Equal(3, next.ChangesAfter(800));
    }

    [Fact]
    public async Task Durable_results_of_others_tell_nothing_about_the_suspects()
    {
        var file = await EndsAsync(NewFile(), within: true, through: null);
        using (var marker = Open(file))
        {
            marker.Pass(1_000);
            Assert.Equal(1, marker.Ends);
            Assert.Equal(int.MaxValue, marker.ChangesAfter(5));
            marker.Pass(null);
            Assert.Equal(0, marker.Ends);
        }

        file = await EndsAsync(NewFile(), within: true, through: 1_000);
        file = await EndsAsync(file, within: true, through: 1_000);
        using var ofChanges = Open(file);
        ofChanges.Pass(null);
        Assert.Equal(2, ofChanges.Ends);
    }

    [Fact]
    public async Task Suspects_run_one_at_a_time()
    {
        using var one = Open(await EndsAsync(NewFile(), within: true, through: 100));
        using var other = Open(await EndsAsync(NewFile(), within: true, through: 100));
        var first = await one.EnterAsync(default);
        var second = other.EnterAsync(default).AsTask();
        Assert.False(second.IsCompleted);
        first.Dispose();
        (await second).Dispose();
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static RunMarker Open(string file) => RunMarker.Open(file, e => throw e);

    private static bool IsBlocked(string file)
    {
        using var marker = Open(Copy(file));
        return marker.IsBlocked;
    }

    /// <summary>What a process leaves that opens the file and ends within a run, or between two.</summary>
    private async Task<string> EndsAsync(string file, bool within, long? through = null)
    {
        using var marker = Open(file);
        using var run = await marker.EnterAsync(default);
        if (within)
            marker.Mark(through);
        return Copy(file, NewFile());
    }

    private static string Copy(string file) => Copy(file, file + "-copy");

    private static string Copy(string file, string to)
    {
        File.Copy(file, to, overwrite: true);
        return to;
    }

    private string NewFile() => Path.Combine(_folder, $"{_files++}");
}
