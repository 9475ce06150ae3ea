using Pipeline.Benchmarks;
using Pipeline.Benchmarks.Backups;
using Pipeline.Benchmarks.Client;
using Pipeline.Benchmarks.Cluster;
using Pipeline.Benchmarks.Documents;
using Pipeline.Benchmarks.Etl;
using Pipeline.Benchmarks.Events;
using Pipeline.Benchmarks.Index;
using Pipeline.Benchmarks.Peers;
using Pipeline.Benchmarks.Scripts;
using Pipeline.Benchmarks.Server;
using Pipeline.Benchmarks.Storage;
using Pipeline.Benchmarks.Subscriptions;

// Each group takes the arguments that follow its name and returns the exit code. Add a line to add a group.
var groups = new SortedDictionary<string, Func<string[], Task<int>>>(StringComparer.Ordinal)
{
    ["backup"] = BackupBenchmarks.RunAsync,
    ["client"] = ClientBenchmarks.RunAsync,
    ["cluster"] = ClusterBenchmarks.RunAsync,
    ["documents"] = DocumentBenchmarks.RunAsync,
    ["etl"] = EtlBenchmarks.RunAsync,
    ["events"] = EventBenchmarks.RunAsync,
    ["index"] = IndexBenchmarks.RunAsync,
    ["peers"] = PeerBenchmarks.RunAsync,
    ["recovery"] = RecoveryBenchmarks.RunAsync,
    ["replication"] = ReplicationBenchmarks.RunAsync,
    ["scripts"] = ScriptBenchmarks.RunAsync,
    ["server"] = ServerBenchmarks.RunAsync,
    ["storage"] = StorageBenchmarks.RunAsync,
    ["subscriptions"] = SubscriptionBenchmarks.RunAsync,
};

if (args.Length == 0 || !groups.TryGetValue(args[0], out var run))
{
    Console.Error.WriteLine(
        $"usage: Pipeline.Benchmarks GROUP [ARGUMENT]...   groups: {string.Join(", ", groups.Keys)}"
    );
    return 2;
}

try
{
    return await run(args[1..]);
}
catch (BenchmarkException e)
{
    Console.Error.WriteLine(e.Message);
    return 1;
}
