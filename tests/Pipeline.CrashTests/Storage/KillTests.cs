using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using Pipeline.Storage;
using Pipeline.TestKit.Processes;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// A child process under load is killed at seeded moments: PIPELINE_KILLS times each, plain and encrypted, or as often
/// as time allows. The store grows from kill to kill and sometimes starts empty, so that kills meet small stores, large
/// stores and the creation of one.
/// </summary>
public sealed class KillTests(ITestOutputHelper output)
{
    private const int FewestKills = 5;
    private static readonly TimeSpan Time = TimeSpan.FromSeconds(18);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_killed_process_loses_nothing_that_it_had_acknowledged(bool encrypted)
    {
        var kills = ChildProcess.Kills;
        var watch = Stopwatch.StartNew();
        var random = new Random(7);
        var folder = Directory.CreateTempSubdirectory("pipeline-kill-").FullName;
        try
        {
            var acknowledged = Enumerable.Repeat(-1L, KillChild.Writers).ToArray();
            var kill = 0;
            for (; kills is { } set ? kill < set : kill < FewestKills || watch.Elapsed < Time; kill++)
            {
                if (kill % 40 == 39)
                {
                    Directory.Delete(folder, recursive: true);
                    Array.Fill(acknowledged, -1);
                }
                var lines = await RunAndKillAsync(
                    folder,
                    kill,
                    random.Next(8) == 0 ? 0 : random.Next(1, 600),
                    acknowledged,
                    encrypted
                );
                output.WriteLine($"kill {kill}: {lines} acknowledged lines, up to [{string.Join(' ', acknowledged)}]");
                Check(folder, kill, acknowledged, encrypted);
                // A copy that has its name is whole, of whatever moment.
                if (File.Exists(Path.Combine(KillUpkeep.CopyOf(folder), "pipeline.data")))
                    Check(KillUpkeep.CopyOf(folder), kill, [.. Enumerable.Repeat(-1L, KillChild.Writers)], encrypted);
            }
            output.WriteLine($"{kill} kills in {watch.Elapsed.TotalSeconds:f0} s");
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
            if (Directory.Exists(KillUpkeep.CopyOf(folder)))
                Directory.Delete(KillUpkeep.CopyOf(folder), recursive: true);
        }
    }

    private static async Task<int> RunAndKillAsync(
        string folder,
        int kill,
        int after,
        long[] acknowledged,
        bool encrypted
    )
    {
        using var child = ChildProcess.Start(
            typeof(KillChild),
            ["storage-writer", folder, kill.ToString(CultureInfo.InvariantCulture), encrypted ? "encrypted" : "plain"]
        );
        return await ChildProcess.ReadAndKillAsync(
            child,
            after,
            line => Note(line, acknowledged),
            beforeKill: () =>
            {
                if (kill > 0)
                    return;
                var error = Assert.Throws<StoreInUseException>(() =>
                    StorageEnvironment.Open(KillChild.Options(folder, encrypted))
                );
                Assert.Contains($"process {child.Id} ", error.Message, StringComparison.Ordinal);
            }
        );
    }

    private static void Note(string line, long[] acknowledged)
    {
        // The last line may be cut short by the kill; a number that is cut is smaller, which is harmless.
        var parts = line.Split(' ');
        if (parts.Length == 2 && int.TryParse(parts[0], out var writer) && long.TryParse(parts[1], out var number))
            acknowledged[writer] = Math.Max(acknowledged[writer], number);
    }

    private static void Check(string folder, int kill, long[] acknowledged, bool encrypted)
    {
        using var environment = StorageEnvironment.Open(KillChild.Options(folder, encrypted));
        using var read = environment.BeginRead();
        var report = StorageChecker.Check(environment);
        Assert.True(report.IsSound, string.Join("; ", report.Problems));
        if (!read.TryOpenTree("t", out var tree))
        {
            // A copy may be of the moment before the first write.
            Assert.All(acknowledged, last => Assert.Equal(-1, last));
            return;
        }
        using var cursor = tree.OpenCursor();
        for (var writer = 0; writer < KillChild.Writers; writer++)
        {
            var last =
                cursor.SeekBefore([(byte)(writer + 1)]) && cursor.Key[0] == writer
                    ? BinaryPrimitives.ReadInt64BigEndian(cursor.Key[1..])
                    : -1;
            Assert.True(
                last >= acknowledged[writer],
                $"kill {kill}: writer {writer} had {acknowledged[writer]} acknowledged, {last} is there"
            );
            for (var number = 0L; number <= last; number++)
            {
                var there = tree.TryGet(KillChild.Key(writer, number), out var value);
                Assert.Equal(number % 3 != 0 || number + 2 > last, there);
                Assert.True(
                    !there || value.SequenceEqual(KillChild.Value(writer, number)),
                    $"kill {kill}: writer {writer}, number {number} has another value"
                );
            }
        }
    }
}
