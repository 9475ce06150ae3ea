using System.Text;

namespace Pipeline.Cluster.Tests.Node;

/// <summary>
/// One schedule: three nodes over a faulty log, that crash, pause, lose their disks and hand over, while clients write,
/// compare and read. All that happens follows from the seed.
/// </summary>
internal sealed class Simulation
{
    private const int FaultyMilliseconds = 6000,
        QuietMilliseconds = 12_000;

    private readonly PriorityQueue<Action, (long, long)> _events = new();
    private readonly SimulatedNode[] _nodes = new SimulatedNode[3];
    private readonly List<string> _accepted = [];
    private AutomatonState _state = AutomatonState.Start;
    private string _half = "";
    private int _judged,
        _values,
        _writesHalfway;

    public Simulation(int seed, bool byTail, HostFault fault, bool wildClocks = false)
    {
        (Random, ByTail, Fault, HasWildClocks) = (new Random(seed), byTail, fault, wildClocks);
        ElectsEarly = seed % 4 == 0;
        Log = new SimulatedLog(Random, _events, () => Now);
        Clients = new ClientHistory(() =>
        {
            Judge();
            return _accepted.Count;
        });
        for (var i = 0; i < _nodes.Length; i++)
            _nodes[i] = new SimulatedNode(this, i);
    }

    public Random Random { get; }

    public bool ByTail { get; }

    public HostFault Fault { get; }

    /// <summary>
    /// Whether nodes claim while an old lease may hold, in every fourth schedule. Leaders then wait for leases most of
    /// the time.
    /// </summary>
    public bool ElectsEarly { get; }

    /// <summary>
    /// Whether clocks run between a fifth and four times as fast as they should. Reads then ask the log only, as leases
    /// promise nothing.
    /// </summary>
    public bool HasWildClocks { get; }

    public SimulatedLog Log { get; }

    public ClientHistory Clients { get; }

    public long Now { get; private set; }

    /// <summary>Is told what happens.</summary>
    public Action<string>? Trace { get; init; }

    /// <summary>Runs the schedule.</summary>
    /// <exception cref="SimulationFailure">A promise is broken.</exception>
    public void Run()
    {
        using var chains = new SimulatedChain();
        for (; Now < FaultyMilliseconds + QuietMilliseconds; Now += Random.Next(1, 25))
        {
            while (_events.TryPeek(out var due, out var at) && at.Item1 <= Now)
            {
                _events.Dequeue();
                due();
            }
            if (Now < FaultyMilliseconds)
                Disturb();
            else if (Log.IsFaulty)
                BeQuiet();
            foreach (var node in _nodes)
            {
                // After a pause, the process takes waiting calls before it reads the records that it missed.
                for (var i = 0; node.WokeUp && i < 4; i++)
                    Call(node);
                node.Step();
                Read(node);
            }
            Call(_nodes[Random.Next(_nodes.Length)]);
            Trace?.Invoke(
                $"{Now, 6} log {Log.Records.Count}, epoch {_state.Epoch} {_state.Phase}, written {Clients.Writes}: {string.Join(", ", _nodes.Select(n => n.State))}"
            );
            if (Now < FaultyMilliseconds + (QuietMilliseconds / 2))
                _writesHalfway = Clients.Writes;
        }
        foreach (var node in _nodes)
        {
            node.Loop.Read(
                node.Loop.ReadFrom,
                Log.Records.GetRange((int)node.Loop.ReadFrom, Log.Records.Count - (int)node.Loop.ReadFrom),
                Log.Records.Count,
                node.Clock
            );
        }

        Check();
    }

    private void BeQuiet()
    {
        Log.IsFaulty = false;
        foreach (var node in _nodes)
            (node.SleepsUntil, node.ReadsNothingUntil) = (Math.Min(node.SleepsUntil, Now), Now);
    }

    private void Disturb()
    {
        var node = _nodes[Random.Next(_nodes.Length)];
        switch (Random.Next(700))
        {
            case < 6:
                node.Restart(losesDisk: Random.Next(4) == 0);
                node.SleepsUntil = Now + Random.Next(2500);
                break;
            case < 12:
                node.SleepsUntil = Now + Random.Next(4000);
                break;
            case < 15:
                node.Loop.HandOver($"n{Random.Next(_nodes.Length)}");
                break;
            case < 21:
                node.ReadsNothingUntil = Now + Random.Next(2500);
                break;
        }
    }

    private void Call(SimulatedNode node)
    {
        if (node.Sleeps)
            return;
        var key = $"k{Random.Next(3)}";
        if (Random.Next(3) == 0)
        {
            Read(node);
            return;
        }
        if (!node.Loop.TryPrepare(out var transaction))
            return;
        if (Random.Next(4) == 0 && !HasWildClocks && node.Replica.Prepared(key) is not null)
        {
            // A comparison that fails: its error comes from prepared state.
            var call = new ClientCall(Clients, transaction - 1, null);
            if (Fault == HostFault.ErrorsLetGoEarly)
                call.Succeed();
            else
                node.Loop.Query(call, node.Clock);
            return;
        }
        var payload = $"{key}={++_values}{new string('x', Random.Next(12))}";
        node.Replica.Prepare(payload);
        node.Loop.Propose(new ClientCall(Clients, transaction, payload), Encoding.UTF8.GetBytes(payload), node.Clock);
    }

    private void Read(SimulatedNode node)
    {
        if (node.Sleeps)
            return;
        if (HasWildClocks || Random.Next(8) == 0)
        {
            // As a driver, a call asks for one confirmation at a time, and opens its snapshot after the answer.
            var confirmed = new ClientCall(Clients, 0, null, () => node.Replica.History.Count);
            if (Fault == HostFault.Unconfirmed && node.Loop.Role == NodeRole.Leading)
                confirmed.Succeed();
            else
                node.Loop.Confirm(confirmed, node.Clock);
            return;
        }
        if (Fault == HostFault.PublishedEarly && node.Loop.TryPrepare(out var next) && node.Loop.HoldsLease(node.Clock))
        {
            new ClientCall(Clients, next - 1, null).Succeed();
            return;
        }
        if (Fault == HostFault.LeaseBeforeSnapshot)
        {
            if (node.Loop.HoldsLease(node.Clock))
                Log.Later(Random.Next(4000), () => new ClientCall(Clients, node.Replica.History.Count, null).Succeed());
            return;
        }
        var call = new ClientCall(Clients, node.Replica.History.Count, null);
        if (node.Loop.HoldsLease(node.Clock))
            call.Succeed();
    }

    /// <summary>What the automaton says of the log, without any node.</summary>
    private void Judge()
    {
        for (; _judged < Log.Records.Count; _judged++)
        {
            LogRecord.TryRead(Log.Records[_judged], out var record);
            if (!Pipeline.Cluster.Automaton.Step(_state, record, out _state))
                continue;
            if (record.Kind is RecordKind.Claim)
                _half = "";
            if (record.Kind is not RecordKind.Entry)
                continue;
            _half += Encoding.UTF8.GetString(record.Body.Span);
            if (!record.IsLastPart)
                continue;
            _accepted.Add(_half);
            _half = "";
        }
    }

    private void Check()
    {
        Judge();
        foreach (var (transaction, payload) in Clients.Acknowledged)
        {
            if (transaction > _accepted.Count || _accepted[(int)transaction - 1] != payload)
                throw new SimulationFailure($"transaction {transaction} ({payload}) was acknowledged and is lost");
        }
        if (_accepted.Distinct().Count() != _accepted.Count)
            throw new SimulationFailure("a transaction was accepted twice");
        if (_accepted.Intersect(Clients.Refused).FirstOrDefault() is { } refused)
            throw new SimulationFailure($"{refused} was refused for certain and is in the log");
        foreach (var node in _nodes)
        {
            if (node.Loop.Stop != NodeStop.None)
                throw new SimulationFailure($"a node stopped: {node.Loop.Stop}");
            if (!node.Replica.History.SequenceEqual(_accepted))
            {
                throw new SimulationFailure(
                    $"a replica has {node.Replica.History.Count} transactions, the log {_accepted.Count}, or others"
                );
            }
        }
        if (_nodes.Count(n => n.Loop.Role == NodeRole.Leading) > 1)
            throw new SimulationFailure("two nodes have read the whole log, and both lead");
        if (!ElectsEarly && !HasWildClocks && Clients.Writes == _writesHalfway)
            throw new SimulationFailure("nobody acknowledged a write in the second half of the quiet time");
    }
}

/// <summary>A run of the simulation broke a promise.</summary>
internal sealed class SimulationFailure(string message) : Exception(message);
