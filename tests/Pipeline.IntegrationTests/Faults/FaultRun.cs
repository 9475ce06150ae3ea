using System.Diagnostics;
using Pipeline.IntegrationTests.Faults.Workloads;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>One run: load, faults, rest, and what the histories and the stores say.</summary>
internal sealed class FaultRun : IAsyncDisposable
{
    private static readonly TimeSpan ClientTimeout = TimeSpan.FromSeconds(6);
    private static readonly TimeSpan MaxStart = TimeSpan.FromMinutes(3);
    private static readonly TimeSpan MaxRecovery = TimeSpan.FromSeconds(90);
    private static readonly TimeSpan LongPause = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Rest = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan LongRun = TimeSpan.FromMinutes(5);
    private readonly int _seed;
    private readonly List<Workload> _workloads = [];
    private readonly List<SubscriptionConsumer> _consumers;
    private readonly long _began = Stopwatch.GetTimestamp();
    private readonly StreamWriter _log;
    private readonly Action<string> _output;

    private FaultRun(FaultCluster cluster, int seed, FaultPlant plant, Action<string> output)
    {
        Plant = plant;
        (Cluster, _seed, _output) = (cluster, seed, output);
        Client = new FaultClient(cluster.Network.ClientUrls, ClientTimeout);
        _log = new StreamWriter(Path.Combine(cluster.Folder, "faults.log")) { AutoFlush = true };
        _consumers =
        [
            .. FaultHistory.Watched.Select(
                (c, i) => new SubscriptionConsumer(c, cluster.Network.ClientUrls, (seed * 100) + 40 + i, plant)
            ),
        ];
        for (var i = 0; i < 3; i++)
        {
            _workloads.Add(new RegisterWorkload($"register-{i}", this, (seed * 100) + i));
            _workloads.Add(new ExchangeWorkload($"exchange-{i}", this, (seed * 100) + 10 + i));
            _workloads.Add(new ListWorkload($"list-{i}", this, (seed * 100) + 20 + i));
            _workloads.Add(new BankWorkload($"bank-{i}", this, (seed * 100) + 30 + i));
        }
    }

    public FaultCluster Cluster { get; }

    /// <summary>What the clients do wrong.</summary>
    public FaultPlant Plant { get; }

    public FaultClient Client { get; }

    public FaultHistory History { get; } = new();

    /// <summary>Starts brokers and nodes.</summary>
    /// <param name="folder">Where messages and the history go.</param>
    /// <param name="seed">What decides the faults and the load.</param>
    /// <param name="output">Told what happens.</param>
    /// <param name="plant">What the clients do wrong.</param>
    /// <param name="earlier">The folder of an earlier version that the nodes start with, or null.</param>
    public static async Task<FaultRun> StartAsync(
        string folder,
        int seed,
        Action<string> output,
        FaultPlant plant = FaultPlant.None,
        string? earlier = null
    ) => new(await FaultCluster.StartAsync(folder, earlier), seed, plant, output);

    /// <summary>Runs it.</summary>
    /// <param name="time">How long there are faults.</param>
    /// <returns>What is wrong; empty if nothing is.</returns>
    public async Task<IReadOnlyList<string>> RunAsync(TimeSpan time)
    {
        if (Cluster.NoDisks is { } reason)
            Tell($"no disk is filled: {reason}");
        if (FaultClock.Missing is { } missing)
            Tell($"no clock jumps: {missing}");
        if (await Cluster.WaitUntilWellAsync(MaxStart, CancellationToken.None) is { } ill)
            return [$"the cluster did not start: {ill}"];
        if (await Cluster.WaitForLeaderAsync(MaxStart) is not { } leader)
            return ["the cluster did not start: no node leads"];
        foreach (var workload in _workloads.Where(w => w is not ListWorkload).DistinctBy(w => w.GetType()))
            await workload.PrepareAsync(leader);
        foreach (var consumer in _consumers)
            await consumer.PrepareAsync(leader);
        Tell($"seed {_seed}: n{leader + 1} leads; {time.TotalSeconds:0} s of faults begin");

        using var stop = new CancellationTokenSource();
        var load = _workloads
            .Select(w => Task.Run(() => w.RunAsync(stop.Token)))
            .Concat(_consumers.Select(c => Task.Run(() => c.RunAsync(stop.Token))))
            .ToList();
        var pauses = WatchAsync(stop.Token);
        using (var calm = new CancellationTokenSource(time))
            await new FaultSchedule(Cluster, _seed, time >= LongRun, Tell).RunAsync(calm.Token);

        var faults = new List<string>();
        var healed = Stopwatch.GetTimestamp();
        if (await Cluster.WaitUntilWellAsync(MaxRecovery, CancellationToken.None) is { } found)
            faults.Add($"not well {MaxRecovery.TotalSeconds} s after the last fault: {found}");
        Tell($"well {Stopwatch.GetElapsedTime(healed).TotalSeconds:0.0} s after the last fault");
        var before = History.Acknowledged;
        await Task.Delay(Rest);
        if (History.Acknowledged == before)
            faults.Add($"no write was acknowledged in {Rest.TotalSeconds} s without faults");
        await stop.CancelAsync();
        await Task.WhenAll(load);
        Tell($"longest time without an acknowledged write: {(await pauses).TotalSeconds:0.0} s");
        for (var node = 0; node < FaultCluster.Count; node++)
        {
            foreach (var workload in _workloads.DistinctBy(w => w.GetType()))
                await workload.ReadLastAsync(node);
        }
        await VerifyAsync(faults);
        var unsent = await Cluster.WaitUntilSentAsync(MaxRecovery, CancellationToken.None);
        if (unsent is not null)
            faults.Add($"the ETL tasks have not sent everything: {unsent}");
        foreach (var consumer in _consumers)
        {
            if (await consumer.DrainAsync(MaxRecovery) is { } undelivered)
                faults.Add($"{consumer.Name} has not delivered everything: {undelivered}");
        }
        faults.AddRange(
            History.Check(
                unsent is null ? Cluster.ReadSent() : null,
                unsent is null ? await Cluster.Queue.TakeAllAsync() : null,
                [.. _consumers.Select(c => (c.Name, c.Batches))]
            )
        );
        Tell(History.Summary);
        foreach (var consumer in _consumers)
            Tell($"{consumer.Name}: {consumer.Batches.Count:N0} batches over {consumer.Connections:N0} connections");
        foreach (var (text, count) in Client.Unexpected)
            Tell($"{count} times: {text}");
        foreach (var node in Cluster.Nodes)
            Tell($"{node.Name}: {node.Starts} starts, {node.Ends} of them because it had ended by itself");
        faults.ForEach(f => Tell("FAULT: " + f));
        if (faults.Count > 0)
        {
            History.WriteTo(Path.Combine(Cluster.Folder, "history.txt"));
            await File.WriteAllLinesAsync(
                Path.Combine(Cluster.Folder, "subscriptions.txt"),
                _consumers.SelectMany(c => c.Batches.Select(b => $"{c.Name} {b}"))
            );
        }
        return faults;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var consumer in _consumers)
            await consumer.DisposeAsync();
        await Cluster.DisposeAsync();
        Client.Dispose();
        await _log.DisposeAsync();
    }

    private async Task VerifyAsync(List<string> faults)
    {
        if (await Cluster.FindLeaderAsync() is not { } leader)
        {
            faults.Add("no node leads at the end");
            return;
        }
        var answer = await Cluster.VerifyAsync(leader);
        if (
            !answer.IsDone
            || !answer.Json!.Value.GetProperty("areEqual").GetBoolean()
            || answer.Json.Value.GetProperty("nodes").GetArrayLength() != FaultCluster.Count
        )
        {
            faults.Add($"the stores are not equal: {answer.Status} {answer.Text}");
        }
    }

    private async Task<TimeSpan> WatchAsync(CancellationToken ct)
    {
        var (longest, last, count) = (TimeSpan.Zero, Stopwatch.GetTimestamp(), 0);
        while (!ct.IsCancellationRequested)
        {
            await Task.Delay(20, CancellationToken.None);
            var pause = Stopwatch.GetElapsedTime(last);
            longest = pause > longest ? pause : longest;
            if (History.Acknowledged == count)
                continue;
            if (pause > LongPause)
                Tell($"no write was acknowledged in the last {pause.TotalSeconds:0.0} s");
            (last, count) = (Stopwatch.GetTimestamp(), History.Acknowledged);
        }
        return longest;
    }

    private void Tell(string text)
    {
        var line =
            $"{DateTime.UtcNow:HH:mm:ss.fff} {Stopwatch.GetElapsedTime(_began).TotalSeconds, 7:0.000} @{Stopwatch.GetTimestamp()} {text}";
        lock (_log)
        {
            _log.WriteLine(line);
            _output(line);
        }
    }
}
