using Pipeline.Cluster.Tests.Node;
using Pipeline.Storage;

namespace Pipeline.Cluster.Tests.Store;

/// <content>What must be so after a schedule.</content>
internal sealed partial class StoreSimulation
{
    /// <summary>Redoes what the automaton accepts of the log, without any node.</summary>
    private void Judge()
    {
        var applied = false;
        for (; _judged < Log.Records.Count; _judged++)
        {
            LogRecord.TryRead(Log.Records[_judged], out var record);
            if (!Pipeline.Cluster.Automaton.Step(_state, record, out _state))
                continue;
            if (record.Kind is RecordKind.Claim)
                _parts.Clear();
            if (record.Kind is not RecordKind.Entry)
                continue;
            _parts.Add(record.Body);
            if (!record.IsLastPart)
                continue;
            _judge.Apply(_parts.SelectMany(p => p.ToArray()).ToArray());
            _parts.Clear();
            applied = true;
        }
        if (!applied)
            return;
        using var snapshot = _judge.BeginRead();
        _accepted = StoreOperation.Count(snapshot);
    }

    private void Check()
    {
        Judge();
        using var judged = _judge.BeginRead();
        var history = StoreOperation.History(judged);
        foreach (var (count, number) in Calls.Acknowledged)
        {
            if (count > history.Count || history[(int)count - 1] != number)
                throw new SimulationFailure($"write {number} was acknowledged at {count} and is lost");
        }
        if (history.Distinct().Count() != history.Count)
            throw new SimulationFailure("a write was accepted twice");
        foreach (var number in history)
        {
            if (Calls.Refused.Contains(number))
                throw new SimulationFailure($"write {number} was refused for certain and is in the log");
        }
        foreach (var node in _nodes)
            Check(node, judged);
        if (_nodes.Count(n => n.Replica.Loop.Role == NodeRole.Leading) > 1)
            throw new SimulationFailure("two nodes have read the whole log, and both lead");
        if (!ElectsEarly && Calls.Writes == _writesHalfway)
            throw new SimulationFailure("nobody acknowledged a write in the second half of the quiet time");
    }

    private static void Check(StoreNode node, ReadTransaction judged)
    {
        if (node.Replica.Loop.Stop != NodeStop.None)
            throw new SimulationFailure($"a node stopped: {node.Replica.Loop.Stop}");
        using (var snapshot = node.Store.BeginRead())
        {
            if (snapshot.Id != judged.Id)
                throw new SimulationFailure($"a store is at transaction {snapshot.Id}, the log at {judged.Id}");
            if (StoreEquality.FindDifference(snapshot, judged) is { } difference)
                throw new SimulationFailure($"a store differs at page {difference.Page}: {difference.Reason}");
        }
        var report = StorageChecker.Check(node.Store);
        if (!report.IsSound)
            throw new SimulationFailure($"a store is not sound: {string.Join("; ", report.Problems.Take(3))}");
    }
}
