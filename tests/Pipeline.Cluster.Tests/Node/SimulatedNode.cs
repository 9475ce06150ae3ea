namespace Pipeline.Cluster.Tests.Node;

/// <summary>
/// A process: the shipped loop, a replica, and its clock. It counts the answers to its clients.
/// </summary>
internal sealed class SimulatedNode : INodeHost
{
    private readonly Simulation _simulation;
    private readonly int _index;
    private readonly double _rate;
    private readonly TimeSpan _offset;
    private int _life;
    private bool _slept;

    public SimulatedNode(Simulation simulation, int index)
    {
        (_simulation, _index) = (simulation, index);
        // The wait is 1.2 leases: clocks may differ by that much and no more.
        _rate = simulation.HasWildClocks
            ? 0.2 + (simulation.Random.NextDouble() * 3.8)
            : 0.95 + (simulation.Random.NextDouble() * 0.1);
        _offset = TimeSpan.FromSeconds(simulation.Random.Next(100_000));
        Loop = Begin(ReadPosition.Start);
    }

    public ClusterNode Loop { get; private set; }

    public SimulatedReplica Replica { get; } = new();

    /// <summary>The process does nothing before this moment: paused or down.</summary>
    public long SleepsUntil { get; set; }

    /// <summary>Until this moment the log does not answer the process's reads; appends go on.</summary>
    public long ReadsNothingUntil { get; set; }

    /// <summary>Whether the process slept at its last step and does not any more.</summary>
    public bool WokeUp => _slept && !Sleeps;

    public bool Sleeps => _simulation.Now < SleepsUntil;

    public TimeSpan Clock => _offset + (TimeSpan.FromMilliseconds(_simulation.Now) * _rate);

    /// <summary>Where the node stands, for a trace.</summary>
    public string State => $"n{_index} {(Sleeps ? "sleeps" : Loop.Role)} read {Loop.Place} published {Loop.Published}";

    public void Restart(bool losesDisk) => Loop = Begin(Replica.Crash(_simulation.Random, losesDisk));

    public void Step()
    {
        _slept = Sleeps;
        if (_slept)
            return;
        var records = _simulation.Log.Records;
        var from = (int)Loop.ReadFrom;
        var count = Math.Min(records.Count - from, _simulation.Random.Next(1, 40));
        if (_simulation.Random.Next(3) > 0 && count >= 0 && _simulation.Now >= ReadsNothingUntil)
            Loop.Read(from, records.GetRange(from, count), records.Count, Clock);
        Loop.Tick(Clock);
    }

    public void Append(long id, LogRecord record, long expected)
    {
        var life = _life;
        _simulation.Log.Append(
            _index,
            record.Bytes,
            answer =>
            {
                var told = _simulation.Fault switch
                {
                    HostFault.NoContiguity when answer.Outcome == AppendOutcome.At => AppendAnswer.At(expected),
                    HostFault.UnknownTakenForLanded when answer.Outcome == AppendOutcome.Unknown => AppendAnswer.At(
                        expected
                    ),
                    _ => answer,
                };
                // A process that sleeps finds the answer when it wakes.
                if (Sleeps)
                    _simulation.Log.Later(SleepsUntil - _simulation.Now, () => Answer(life, id, told));
                else
                    Answer(life, id, told);
            }
        );
    }

    public void Publish(long transaction, in ReadPosition position) => Replica.Publish(transaction, position);

    public void Apply(long transaction, ReadOnlyMemory<byte> payload, in ReadPosition position) =>
        Replica.Apply(transaction, payload, position);

    public bool Has(long transaction, ReadOnlyMemory<byte> payload) => Replica.Has(transaction, payload);

    public void Drop(NodeRefusal reason) => Replica.Drop();

    public void Acknowledge(object token) => ((ClientCall)token).Succeed();

    public void Refuse(object token, NodeRefusal reason) => ((ClientCall)token).Fail(reason);

    private void Answer(int life, long id, AppendAnswer answer)
    {
        if (life == _life)
            Loop.Answered(id, answer, Clock);
    }

    private ClusterNode Begin(in ReadPosition position) =>
        new(
            new NodeOptions($"n{_index}", new Guid(_index + 1, (short)++_life, 0, new byte[8]))
            {
                ByTail = _simulation.ByTail,
                Address = $"http://n{_index}",
                Seed = _simulation.Random.Next(),
                LeaseWait =
                    _simulation.Fault == HostFault.NoLeaseWait ? TimeSpan.Zero : TimeSpan.FromMilliseconds(1200),
                ElectAfter = TimeSpan.FromMilliseconds(_simulation.ElectsEarly ? 300 : 1500),
                MaxRecordBytes = LogRecord.HeaderBytes + 6,
            },
            this,
            position,
            Replica.History.Count + 1,
            Clock
        );
}
