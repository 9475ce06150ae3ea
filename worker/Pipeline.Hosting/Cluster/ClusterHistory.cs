using Pipeline.Hosting.Metrics;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// The last hour of the nodes' lags as one node saw them, one value every two seconds. Thread-safe.
/// </summary>
/// <remarks>
/// Names of figures: <c>node/NAME/lag</c> (transactions) and <c>node/NAME/lagSeconds</c>. A node that did not answer
/// has
/// a gap.
/// </remarks>
internal sealed class ClusterHistory
{
    private const int MaxSeries = 128;
    private readonly HistoryRing _ring = new(HistoryView.Samples, MaxSeries);
    private readonly LeaderProgress _leader = new(HistoryView.Samples);
    private readonly Dictionary<string, DateTimeOffset> _answered = new(StringComparer.Ordinal);
    private readonly Lock _lock = new();

    /// <summary>Adds the nodes' reports, with their lags.</summary>
    public void Add(DateTimeOffset time, IReadOnlyList<NodeView> nodes)
    {
        var values = new Dictionary<string, double>(StringComparer.Ordinal);
        foreach (var node in nodes)
        {
            if (node.Lag is { } lag)
                values[$"node/{node.Node}/lag"] = lag;
            if (node.LagSeconds is { } seconds)
                values[$"node/{node.Node}/lagSeconds"] = seconds;
        }
        _ring.Add(time, values);
        lock (_lock)
        {
            foreach (var node in nodes.Where(n => n.Role != NodeView.Unreachable))
                _answered[node.Node] = time;
            if (nodes.FirstOrDefault(n => n.Role == "leader") is { } leader)
                _leader.Add(time, leader.Transaction);
        }
    }

    /// <summary>The nodes with their lags behind the leader, and with the time of their last answer.</summary>
    /// <param name="nodes">The nodes' reports.</param>
    /// <param name="leader">The leader's last transaction; null if it is not known.</param>
    /// <param name="now">The time.</param>
    public IReadOnlyList<NodeView> WithLags(IEnumerable<NodeView> nodes, long? leader, DateTimeOffset now)
    {
        lock (_lock)
        {
            return [.. nodes.Select(WithLag)];
        }

        NodeView WithLag(NodeView node)
        {
            if (node.Role == NodeView.Unreachable)
                return node with { Answered = _answered.TryGetValue(node.Node, out var time) ? time : null };
            return leader is not { } last || node.Role == "filling"
                ? node
                : node with
                {
                    Lag = Math.Max(0, last - node.Transaction),
                    LagSeconds = Math.Round(_leader.AgeOf(node.Transaction, now, last).TotalSeconds, 3),
                };
        }
    }

    /// <summary>The values, oldest first. A point is the peak of its values.</summary>
    /// <param name="span">How far to look back.</param>
    /// <param name="points">How many points of each figure at most.</param>
    public HistoryView Read(TimeSpan span, int points) => HistoryView.Read(_ring, span, points, static _ => true);
}

/// <summary>The lags of the last hour, and the last elections.</summary>
/// <param name="Last">The time of the last point.</param>
/// <param name="SecondsPerPoint">The time that one point stands for.</param>
/// <param name="Series">The points of each figure, oldest first; null where there was no value.</param>
/// <param name="Elections">The last changes of leader, oldest first.</param>
internal sealed record ClusterHistoryView(
    DateTimeOffset Last,
    double SecondsPerPoint,
    IReadOnlyDictionary<string, float?[]> Series,
    IReadOnlyList<Election> Elections
);
