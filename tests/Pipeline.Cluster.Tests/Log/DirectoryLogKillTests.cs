using System.Diagnostics;
using System.Globalization;
using System.Text;
using Pipeline.TestKit.Processes;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Cluster.Tests.Log;

/// <summary>
/// Several processes append to one folder and are killed at seeded moments. PIPELINE_KILLS sets the number of kills.
/// </summary>
public sealed class DirectoryLogKillTests(ITestOutputHelper output)
{
    private const int Writers = 3;

    [Fact]
    public async Task Killed_processes_lose_no_record_that_was_kept_and_leave_no_torn_one()
    {
        var kills = ChildProcess.Kills ?? 12;
        var folder = Directory.CreateTempSubdirectory("pipeline-log-kill-").FullName;
        var kept = new SortedDictionary<long, string>();
        var random = new Random(5);
        try
        {
            for (var kill = 0; kill < kills; )
            {
                var first = kill;
                // The kill comes after a number of lines, not after a time.
                var lines = await Task.WhenAll(
                    Enumerable.Range(0, Writers).Select(i => RunAndKillAsync(folder, first + i, random.Next(1, 120)))
                );
                kill += Writers;
                foreach (var line in lines.SelectMany(l => l))
                {
                    var parts = line.Split(' ');
                    Assert.True(
                        kept.TryAdd(long.Parse(parts[0], CultureInfo.InvariantCulture), parts[1]),
                        $"place {parts[0]} was given out twice"
                    );
                }
                await CheckAsync(folder, kept);
            }
            output.WriteLine(
                $"{kills} processes killed, {kept.Count} records told to be kept, {Directory.GetFiles(folder, "*.log").Length} files"
            );
            Assert.True(kept.Count > kills, "the children appended");
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static async Task CheckAsync(string folder, SortedDictionary<long, string> kept)
    {
        await using var log = await DirectoryLog.OpenAsync(folder, new DirectoryLogOptions { SegmentBytes = 20_000 });
        var all = await log.ReadAsync(0, int.MaxValue, TimeSpan.Zero);
        var names = all.Records.Select(r => Encoding.UTF8.GetString(r.Span).Split(' ')[0]).ToList();
        foreach (var (place, name) in kept)
            Assert.Equal(name, names[(int)place]);
        Assert.Equal(names.Count, names.Distinct().Count());
    }

    private static async Task<List<string>> RunAndKillAsync(string folder, int seed, int after)
    {
        var lines = new List<string>();
        using var child = ChildProcess.Start(
            typeof(AppendChild),
            ["append", folder, seed.ToString(CultureInfo.InvariantCulture)]
        );
        await ChildProcess.ReadAndKillAsync(child, after, lines.Add, mayEnd: true);
        // A line that the kill cut in two says nothing.
        if (lines.Count > 0 && !lines[^1].Contains('/', StringComparison.Ordinal))
            lines.RemoveAt(lines.Count - 1);
        return lines;
    }
}
