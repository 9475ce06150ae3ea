using System.Net;
using Pipeline.Hosting;
using Pipeline.TestKit.Services;
using Pipeline.WorkerKit;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>Two processes with one name: the one that came first stays the member, and everybody hears of it.</summary>
public sealed class NamesakeTests
{
    [Fact]
    public async Task A_second_follower_of_a_name_is_refused_until_the_first_has_ended()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var leader = await cluster.HandOverAsync("n1");
        var first = UrlOf(cluster["n2"]);
        await using (var second = await RunningWorker.StartAsync(cluster, "n2"))
        {
            await cluster.UntilAsync(
                () => second.Problem is not null,
                "the second does not know that its name is taken"
            );
            Assert.Contains($"and answers at {first}", second.Problem, StringComparison.Ordinal);
            var (isWell, isReady, detail) = second.Worker.Cluster!.Check();
            Assert.Equal((false, true, second.Problem), (isWell, isReady, detail));
            await cluster.UntilAsync(() => leader.Cluster!.Problem is not null, "the leader does not know of it");
            var status = await WorkerRun.InvokeAsync("cluster", "status", "--url", first);
            Assert.Equal(ExitCodes.Failed, status.ExitCode);
            Assert.Contains(
                $"two processes have the name 'n2' (cluster.node): at {first} and at {UrlOf(second.Worker)}",
                status.Out,
                StringComparison.Ordinal
            );

            // Clients and other nodes go on with the first.
            Assert.Equal(first, KnownUrl(leader, "n2"));
            Assert.Null(cluster["n2"].Cluster!.Problem);

            // When the first has ended, its name is free.
            await cluster.StopAsync("n2");
            await cluster.UntilAsync(() => KnownUrl(leader, "n2") == UrlOf(second.Worker), "the second is not known");
            await cluster.UntilAsync(() => second.Problem is null, "the second does not see that its name is free");
        }
        await cluster.StartAsync("n2");
        await cluster.UntilAsync(() => KnownUrl(leader, "n2") == first, "the first did not come back");
    }

    [Fact]
    public async Task A_handover_to_a_name_goes_to_the_first_of_two_and_the_second_stops()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        await cluster.HandOverAsync("n1");
        await using var second = await RunningWorker.StartAsync(cluster, "n2");
        await cluster.UntilAsync(() => second.Problem is not null, "the second does not know that its name is taken");
        Assert.Same(cluster["n2"], await cluster.HandOverAsync("n2"));
        await cluster.UntilAsync(
            () => second.Worker.Cluster!.Status.Stop == Pipeline.Cluster.NodeStop.SameName,
            "the second does not stop"
        );
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(cluster["n2"], "orders/1", 7));
        // The second stays refused, and the first tells of it for as long as it runs.
        var first = cluster["n2"].Cluster!;
        await cluster.UntilAsync(() => first.Problem is not null, "the first does not hear of the second");
        Assert.Contains("two processes have the name 'n2'", first.Problem, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_process_with_the_name_of_the_leader_is_refused()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var leader = await cluster.HandOverAsync("n1");
        var first = UrlOf(leader);
        await using var second = await RunningWorker.StartAsync(cluster, "n1");
        await cluster.UntilAsync(
            () => second.Problem is not null && leader.Cluster!.Problem is not null,
            "nobody says that the name is taken"
        );
        Assert.Contains($"and answers at {first}", second.Problem, StringComparison.Ordinal);
        Assert.Contains("two processes have the name 'n1'", leader.Cluster!.Problem, StringComparison.Ordinal);
        Assert.Equal(first, KnownUrl(leader, "n1"));
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/1", 7));
        Assert.Equal(Pipeline.Cluster.NodeStop.None, leader.Cluster.Status.Stop);
    }

    [Fact]
    public async Task A_process_whose_address_is_that_of_its_namesake_is_refused()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var leader = await cluster.HandOverAsync("n1");
        var first = UrlOf(cluster["n2"]);
        await using var second = await RunningWorker.StartAsync(cluster, "n2", url: first);
        await cluster.UntilAsync(
            () => second.Problem is not null && leader.Cluster!.Problem is not null,
            "nobody says that the name is taken"
        );
        Assert.Contains($"and answers at {first}", second.Problem, StringComparison.Ordinal);
        Assert.Null(cluster["n2"].Cluster!.Problem);
    }

    private static string UrlOf(PipelineWorker worker) => worker.Cluster!.Self.Url.GetLeftPart(UriPartial.Authority);

    private static string? KnownUrl(PipelineWorker at, string node) =>
        at.Cluster!.Nodes.FirstOrDefault(n => n.Name == node)?.Url.GetLeftPart(UriPartial.Authority);

    /// <summary>A further worker with the configuration of a node, its own folder and its own port.</summary>
    private sealed class RunningWorker : IAsyncDisposable
    {
        private readonly CancellationTokenSource _stop = new();
        private readonly Task _run;

        private RunningWorker(PipelineWorker worker) => (Worker, _run) = (worker, worker.RunAsync(_stop.Token));

        public PipelineWorker Worker { get; }

        public string? Problem => Worker.Cluster!.Problem;

        public static async Task<RunningWorker> StartAsync(WorkerCluster cluster, string node, string? url = null)
        {
            var (own, free) = (UrlOf(cluster[node]), $"http://127.0.0.1:{FreePorts.Find()}");
            var text = File.ReadAllText(cluster.FileOf(node))
                .Replace(own, free, StringComparison.Ordinal)
                .Replace($"path: ./{node}", "path: ./again", StringComparison.Ordinal);
            if (url is not null)
            {
                text = text.Replace(
                    $"node: {node}, url: \"{free}\"",
                    $"node: {node}, url: \"{url}\"",
                    StringComparison.Ordinal
                );
            }
            var worker = await PipelineWorker.OpenAsync(
                new WorkerOptions
                {
                    ConfigurationFile = cluster.Folder.Write("again.yaml", text),
                    Listens = true,
                    Loggers = cluster.Lines,
                }
            );
            return new RunningWorker(worker);
        }

        public async ValueTask DisposeAsync()
        {
            await _stop.CancelAsync();
            await _run;
            await Worker.DisposeAsync();
            _stop.Dispose();
        }
    }
}
