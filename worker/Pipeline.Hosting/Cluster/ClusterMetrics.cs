using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Pipeline.Cluster;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// The meter <c>Pipeline.Cluster</c>. Every measurement has the tags <c>pipeline.database</c> and <c>pipeline.node</c>.
/// </summary>
internal static class ClusterMetrics
{
    private static readonly Meter Meter = new("Pipeline.Cluster");
    private static readonly ConcurrentDictionary<ClusterMember, byte> Open = new();

    static ClusterMetrics()
    {
        Meter.CreateObservableGauge(
            "pipeline.cluster.leads",
            () => Observe(static m => m.Status.Role == NodeRole.Leading ? 1 : 0),
            "{node}",
            "1 while this node leads."
        );
        Meter.CreateObservableGauge(
            "pipeline.cluster.epoch",
            () => Observe(static m => m.Status.Epoch),
            "{epoch}",
            "The number of the last change of leader that this node has read."
        );
        Meter.CreateObservableGauge(
            "pipeline.cluster.place",
            () => Observe(static m => m.Status.Place),
            "{record}",
            "The next place of the log that this node has not read."
        );
        Meter.CreateObservableGauge(
            "pipeline.cluster.transaction",
            () => Observe(static m => m.View().Transaction),
            "{transaction}",
            "The last transaction that this node's copy has."
        );
        Meter.CreateObservableGauge(
            "pipeline.cluster.behind",
            () => Observe(static m => m.Status.IsCaughtUp || m.Status.Role == NodeRole.Leading ? 0 : 1),
            "{node}",
            "1 while this node has not read the log to its end."
        );
        Meter.CreateObservableGauge(
            "pipeline.cluster.problem",
            () => Observe(static m => m.Problem is null ? 0 : 1),
            "{node}",
            "1 while the log does not answer, or this node's store accepts no entry."
        );
        Meter.CreateObservableGauge(
            "pipeline.cluster.log.records",
            () => ObserveLog(static use => [(use.Records, null)]),
            "{record}",
            "Records that the log keeps."
        );
        Meter.CreateObservableGauge(
            "pipeline.cluster.log.held",
            () =>
                ObserveLog(static use =>
                    use.Holders.Select(h =>
                        (
                            h.IsSilent ? 0 : use.End - h.Place,
                            (string?)(h.Kind == "backup" ? "backup " + h.Name : h.Name)
                        )
                    )
                ),
            "{record}",
            "Records that the log keeps for the node or backup in the tag pipeline.holder; 0 for one that was silent for too long."
        );
        Meter.CreateObservableGauge(
            "pipeline.cluster.nodes",
            () => Observe(static m => m.Nodes.Count),
            "{node}",
            "Known nodes of the cluster."
        );
    }

    public static void Register(ClusterMember member) => Open[member] = 0;

    public static void Unregister(ClusterMember member) => Open.TryRemove(member, out _);

    private static IEnumerable<Measurement<long>> ObserveLog(
        Func<LogUse, IEnumerable<(long Value, string? Holder)>> values
    )
    {
        foreach (var member in Open.Keys)
        {
            if (member.LogUse is not { } use)
                continue;
            foreach (var (value, holder) in values(use))
            {
                var tags = new TagList
                {
                    { "pipeline.database", member.Database },
                    { "pipeline.node", member.Self.Name },
                };
                if (holder is not null)
                    tags.Add("pipeline.holder", holder);
                yield return new Measurement<long>(value, tags);
            }
        }
    }

    private static IEnumerable<Measurement<long>> Observe(Func<ClusterMember, long> value)
    {
        foreach (var member in Open.Keys)
        {
            yield return new Measurement<long>(
                value(member),
                new KeyValuePair<string, object?>("pipeline.database", member.Database),
                new KeyValuePair<string, object?>("pipeline.node", member.Self.Name)
            );
        }
    }
}
