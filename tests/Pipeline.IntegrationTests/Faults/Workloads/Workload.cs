using System.Diagnostics;
using Pipeline.IntegrationTests.Faults.Checkers;

namespace Pipeline.IntegrationTests.Faults.Workloads;

/// <summary>A client that sends one request after the other.</summary>
/// <param name="name">Its name in the history.</param>
/// <param name="run">What all clients share.</param>
/// <param name="seed">Where its random numbers begin.</param>
internal abstract class Workload(string name, FaultRun run, int seed)
{
    private const int MaxPause = 30;
    protected const string Documents = "/databases/shop/docs";
    protected static readonly (string, string) AtFollower = ("Pipeline-Read", "follower");

    protected string Name => name;

    protected FaultRun Run => run;

    protected FaultHistory History => run.History;

    protected Random Random { get; } = new(seed);

    protected static long Now => Stopwatch.GetTimestamp();

    /// <summary>Sends requests until this is cancelled.</summary>
    public async Task RunAsync(CancellationToken ct)
    {
        while (!ct.IsCancellationRequested)
        {
            await StepAsync(Random.Next(FaultCluster.Count));
            await Task.Delay(Random.Next(MaxPause), CancellationToken.None);
        }
    }

    /// <summary>Makes what the client needs, before there are faults.</summary>
    public virtual Task PrepareAsync(int leader) => Task.CompletedTask;

    /// <summary>Reads all once more, after all faults.</summary>
    public abstract Task ReadLastAsync(int node);

    protected abstract Task StepAsync(int node);

    /// <summary>What the client takes for the outcome of its write.</summary>
    protected CallOutcome OutcomeOf(FaultAnswer answer) =>
        answer.Outcome == CallOutcome.Unknown && run.Plant == FaultPlant.AcknowledgesBeforeAcceptance
            ? CallOutcome.Done
            : answer.Outcome;

    protected static string NodeName(int node) => $"n{node + 1}";

    protected Task<FaultAnswer> SendAsync(
        int node,
        HttpMethod method,
        string path,
        object? body = null,
        params (string Name, string Value)[] headers
    ) => run.Client.SendAsync(node, method, path, body, headers);

    protected static Dictionary<string, object> Document(string collection, string field, object value) =>
        new()
        {
            [field] = value,
            ["@metadata"] = new Dictionary<string, string> { ["@collection"] = collection },
        };
}
