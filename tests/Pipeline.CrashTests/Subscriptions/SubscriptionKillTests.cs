using System.Diagnostics;
using System.Globalization;
using Pipeline.Database;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Processes;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Subscriptions;

/// <summary>
/// A process with a database, writers and competing workers of a subscription is killed at seeded moments,
/// PIPELINE_KILLS times (10 by default). All the while its workers hang, leave, reject and acknowledge twice. The test
/// compares two things with the documents: the parent's own list of acknowledged changes, and the documents that
/// workers stored with their acknowledgements.
/// </summary>
public sealed class SubscriptionKillTests(ITestOutputHelper output)
{
    private const int DefaultKills = 10;
    private readonly HashSet<long> _acknowledged = [];
    private int _given;
    private int _refused;

    [Fact]
    public async Task Killed_in_full_load_nothing_is_skipped_repeated_or_out_of_order()
    {
        var kills = ChildProcess.Kills ?? DefaultKills;
        var random = new Random(11);
        var watch = Stopwatch.StartNew();
        var folder = Directory.CreateTempSubdirectory("pipeline-subscription-kill-").FullName;
        try
        {
            for (var kill = 0; kill < kills; kill++)
                await RunAndKillAsync(folder, kill, random.Next(5, 400));
            await FinishAsync(folder);
            var (documents, once) = Check(folder);
            output.WriteLine(
                $"{kills} kills in {watch.Elapsed.TotalSeconds:f0} s: {documents} documents, {once} of them written once, {_given} deliveries, {_acknowledged.Count} acknowledged, {_refused} late acknowledgements refused"
            );
            Assert.True(_acknowledged.Count > kills * 20 && once > kills * 20);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private async Task RunAndKillAsync(string folder, int kill, int after)
    {
        using var child = ChildProcess.Start(
            typeof(SubscriptionChild),
            ["subscription-load", folder, kill.ToString(CultureInfo.InvariantCulture)]
        );
        await ChildProcess.ReadAndKillAsync(child, after, line => Note(kill, line));
    }

    /// <summary>
    /// Lines are <c>given P P …;</c>, <c>acknowledged P P …;</c>, <c>refused;</c>. One that was cut by the kill has no
    /// end and counts for nothing.
    /// </summary>
    private void Note(int kill, string line)
    {
        if (!line.EndsWith(';'))
            return;
        var words = line[..^1].Split(' ');
        var positions = words.Skip(1).Select(w => long.Parse(w, CultureInfo.InvariantCulture));
        switch (words[0])
        {
            case "given":
                foreach (var position in positions)
                {
                    _given++;
                    Assert.False(
                        _acknowledged.Contains(position),
                        $"kill {kill}: the change {position} was given again after its acknowledgement was durable"
                    );
                }

                break;
            case "acknowledged":
                foreach (var position in positions)
                {
                    Assert.True(
                        _acknowledged.Add(position),
                        $"kill {kill}: the change {position} was acknowledged twice"
                    );
                }

                break;
            case "refused":
                _refused++;
                break;
            default:
                Assert.Fail($"kill {kill}: {line}");
                break;
        }
    }

    private async Task FinishAsync(string folder)
    {
        await using var database = SubscriptionChild.Open(folder);
        await using var host = SubscriptionHost.Open(database);
        await using var worker = await host.ConnectAsync(SubscriptionChild.Name);
        await foreach (var batch in worker.ReadAllAsync(untilEmpty: true))
        {
            Note(int.MaxValue, SubscriptionChild.Line("given", batch));
            await batch.AcknowledgeAsync(SubscriptionChild.Effect(batch, []));
        }
    }

    private static (int Documents, int Once) Check(string folder)
    {
        using var report = new Disposed(SubscriptionChild.Open(folder));
        using var snapshot = report.Database.OpenSnapshot();
        Assert.Empty(snapshot.GetByPrefix("broken/"));
        var (documents, once) = (0, 0);
        foreach (var item in snapshot.GetByPrefix(SubscriptionChild.Prefix))
        {
            documents++;
            Assert.True(
                snapshot.TryGet("seen/" + item.Id, out var seen),
                $"the change {item.Position} of {item.Id} was never given"
            );
            Assert.Equal(item.Position, seen.Body.Root["Position"].GetInt64());
            Assert.Equal(item.Body.Root["N"].ToString(), seen.Body.Root["N"].ToString());
            if (!SubscriptionChild.IsWrittenOnce(item.Id))
                continue;
            once++;
            Assert.True(
                seen.Body.Root["Count"].GetInt64() == 1,
                $"the effect of {item.Id} is there {seen.Body.Root["Count"]} times"
            );
        }

        return (documents, once);
    }

    private sealed class Disposed(DocumentDatabase database) : IDisposable
    {
        public DocumentDatabase Database => database;

        public void Dispose() => database.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }
}
