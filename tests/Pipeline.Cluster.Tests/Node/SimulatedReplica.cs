using System.Globalization;
using System.Text;

namespace Pipeline.Cluster.Tests.Node;

/// <summary>
/// A store of registers: prepared transactions on top of published ones, and a disk that lags behind. A transaction's
/// payload is `key=value`.
/// </summary>
internal sealed class SimulatedReplica
{
    private readonly List<string> _prepared = [];
    private readonly List<ReadPosition> _positions = [ReadPosition.Start];

    /// <summary>The payloads of the published transactions; the first has number 1.</summary>
    public List<string> History { get; } = [];

    public string? Published(string key) =>
        History.FindLast(h => h.StartsWith(key + "=", StringComparison.Ordinal))?[(key.Length + 1)..];

    public string? Prepared(string key) =>
        _prepared.FindLast(h => h.StartsWith(key + "=", StringComparison.Ordinal))?[(key.Length + 1)..]
        ?? Published(key);

    public void Prepare(string payload) => _prepared.Add(payload);

    public void Publish(long transaction, in ReadPosition position)
    {
        Add(transaction, _prepared[0], position);
        _prepared.RemoveAt(0);
    }

    public void Apply(long transaction, ReadOnlyMemory<byte> payload, in ReadPosition position)
    {
        if (_prepared.Count > 0)
            throw new SimulationFailure("a transaction was redone on top of prepared ones");
        Add(transaction, Encoding.UTF8.GetString(payload.Span), position);
    }

    public bool Has(long transaction, ReadOnlyMemory<byte> payload) =>
        History[(int)transaction - 1] == Encoding.UTF8.GetString(payload.Span);

    public void Drop() => _prepared.Clear();

    /// <summary>
    /// Ends the process: prepared transactions are gone, and the last published ones that the disk had not kept.
    /// Positions may be older still.
    /// </summary>
    public ReadPosition Crash(Random random, bool losesDisk)
    {
        _prepared.Clear();
        var kept = losesDisk ? 0 : History.Count - random.Next(Math.Min(History.Count, 5) + 1);
        History.RemoveRange(kept, History.Count - kept);
        var known = kept - random.Next(Math.Min(kept, 3) + 1);
        _positions.RemoveRange(kept + 1, _positions.Count - kept - 1);
        return _positions[losesDisk ? 0 : known];
    }

    private void Add(long transaction, string payload, in ReadPosition position)
    {
        if (transaction != History.Count + 1)
        {
            throw new SimulationFailure(
                string.Create(CultureInfo.InvariantCulture, $"transaction {transaction} follows {History.Count}")
            );
        }

        History.Add(payload);
        _positions.Add(position);
    }
}
