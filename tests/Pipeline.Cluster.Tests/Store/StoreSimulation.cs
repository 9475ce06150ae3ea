using Pipeline.Cluster.Tests.Node;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;

namespace Pipeline.Cluster.Tests.Store;

/// <summary>
/// One schedule: three nodes with real stores over a faulty log. Processes crash with torn writes on their disks,
/// pause, lose their disks, run out of room and hand over, while clients write, compare and read. All that happens
/// follows from the seed. A fourth store, which no fault touches, redoes what the automaton accepts.
/// </summary>
internal sealed partial class StoreSimulation : IDisposable
{
    private const int FaultyMilliseconds = 6000,
        QuietMilliseconds = 9000;

    private readonly PriorityQueue<Action, (long, long)> _events = new();
    private readonly StoreNode[] _nodes = new StoreNode[3];
    private readonly SimulatedDisk _judgesDisk = new(record: false);
    private readonly StorageEnvironment _judge;
    private readonly List<ReadOnlyMemory<byte>> _parts = [];
    private AutomatonState _state = AutomatonState.Start;
    private long _accepted;
    private int _judged,
        _writesHalfway;

    public StoreSimulation(int seed, bool byTail, StoreFault fault)
    {
        (Random, ByTail, Fault, ElectsEarly) = (new Random(seed), byTail, fault, seed % 4 == 0);
        Log = new SimulatedLog(Random, _events, () => Now);
        _judge = StorageEnvironment.Open(
            SimulatedStore.Options(_judgesDisk) with
            {
                IsReplica = true,
                Threadless = true,
            }
        );
        Calls = new StoreCalls
        {
            Accepted = () =>
            {
                Judge();
                return _accepted;
            },
        };
        for (var i = 0; i < _nodes.Length; i++)
            _nodes[i] = new StoreNode(this, i);
    }

    public Random Random { get; }

    public bool ByTail { get; }

    public StoreFault Fault { get; }

    public bool ElectsEarly { get; }

    public SimulatedLog Log { get; }

    public StoreCalls Calls { get; }

    public long Now { get; private set; }

    public long Transactions => _state.Transaction - 1;

    public long Leaders => _state.Epoch;

    public int Crashes { get; private set; }

    public int FullDisks { get; set; }

    /// <summary>How many nodes were filled.</summary>
    public int Refills { get; set; }

    /// <summary>From which place on each node says that it needs the log.</summary>
    public long[] Kept { get; } = new long[3];

    /// <summary>Is told what happens.</summary>
    public Action<string>? Trace { get; init; }

    public StorageFaults StorageFaults =>
        Fault switch
        {
            StoreFault.PublishBeforeAcceptance => StorageFaults.PublishBeforeAcceptance,
            StoreFault.AnswerBeforeAcceptance => StorageFaults.AnswerBeforeAcceptance,
            StoreFault.AnswerWithoutLease => StorageFaults.AnswerWithoutLease,
            StoreFault.FlushBeforeJournal => StorageFaults.FlushBeforeJournal,
            StoreFault.ApplyUnreserved => StorageFaults.ApplyUnreserved,
            _ => StorageFaults.None,
        };

    /// <summary>Runs the schedule.</summary>
    /// <exception cref="SimulationFailure">A promise is broken.</exception>
    public void Run()
    {
        using var chains = new SimulatedChain();
        for (; Now < FaultyMilliseconds + QuietMilliseconds; Now += Random.Next(1, Log.IsFaulty ? 40 : 90))
        {
            while (_events.TryPeek(out var due, out var at) && at.Item1 <= Now)
            {
                _events.Dequeue();
                due();
            }
            if (Now < FaultyMilliseconds + (QuietMilliseconds / 2))
                Trim();
            if (Now < FaultyMilliseconds)
                Disturb();
            else if (Log.IsFaulty)
                BeQuiet();
            foreach (var node in _nodes)
            {
                if (node.WokeUp)
                    WakeUp(node);
                node.Step();
                Read(node);
            }
            Call(Draw());
            Trace?.Invoke(
                $"{Now, 6} log {Log.First}–{Log.Records.Count}, kept {string.Join(' ', Kept)}, epoch {_state.Epoch} {_state.Phase}, written {Calls.Writes}: {string.Join(", ", _nodes.Select(n => n.State))}"
            );
            if (Now < FaultyMilliseconds + (QuietMilliseconds / 2))
                _writesHalfway = Calls.Writes;
        }
        foreach (var node in _nodes)
            node.CatchUp();
        Check();
    }

    public void Dispose()
    {
        foreach (var node in _nodes)
            node.Dispose();
        _judge.Dispose();
        _judgesDisk.Dispose();
    }

    /// <summary>A node from which another one can be filled.</summary>
    public StoreNode? DrawPeer(StoreNode filled)
    {
        List<StoreNode> peers =
        [
            .. _nodes.Where(n =>
                n != filled && n.Serves && n.Replica.FindCopyPoint() is { } here && here.Position.Place - 1 >= Log.First
            ),
        ];
        return peers.Count == 0 ? null : peers[Random.Next(peers.Count)];
    }

    /// <summary>The store of a node is about to be closed.</summary>
    public void EndCopiesOf(StoreNode source)
    {
        foreach (var node in _nodes)
            node?.EndFillingFrom(source);
    }

    private bool MayLoseDisk(StoreNode node) =>
        Log.First == 0 || _nodes.Where((n, i) => n != node && Kept[i] > Log.First).Any();

    private void Trim()
    {
        if (Random.Next(3) > 0)
            return;
        List<LogHolder> holders =
        [
            .. Kept.Select((k, i) => new LogHolder(LogHolderKind.Member, $"n{i}", k, DateTimeOffset.UnixEpoch)),
        ];
        var options = new TrimOptions { KeepRecords = 2, Step = 2 };
        Log.Trim(
            TrimRule.FirstToKeep(
                new LogBounds(Log.First, Log.Records.Count),
                holders,
                options,
                DateTimeOffset.UnixEpoch
            )
        );
    }

    private void BeQuiet()
    {
        Log.IsFaulty = false;
        foreach (var node in _nodes)
        {
            (node.SleepsUntil, node.ReadsNothingUntil) = (Math.Min(node.SleepsUntil, Now), Now);
            node.IsFull = false;
        }
    }

    private void Disturb()
    {
        var node = _nodes[Random.Next(_nodes.Length)];
        switch (Random.Next(300))
        {
            case < 6:
                Crashes++;
                // What was trimmed is on the disks alone, so one of them must stay.
                node.Restart(losesDisk: Random.Next(3) == 0 && MayLoseDisk(node));
                node.SleepsUntil = Now + Random.Next(2500);
                break;
            case < 10:
                node.SleepsUntil = Now + Random.Next(4000);
                break;
            case < 12 when node.IsFilling:
                break;
            case < 12:
                node.Replica.HandOver($"n{Random.Next(_nodes.Length)}");
                break;
            case < 15:
                node.ReadsNothingUntil = Now + Random.Next(2500);
                break;
            case < 17:
                node.IsFull = true;
                Log.Later(Random.Next(1500), () => node.IsFull = false);
                break;
            case < 18:
                node.FailDisk();
                break;
            case < 19:
                // The room loses its power.
                var mode = Random.Next(2) == 0 ? CrashMode.LoseAll : CrashMode.Mix;
                foreach (var each in _nodes)
                {
                    Crashes++;
                    each.Restart(losesDisk: false, mode);
                    each.SleepsUntil = Now + Random.Next(500);
                }
                break;
        }
    }

    /// <summary>
    /// After a pause, the process takes waiting calls and answers in any order, before it reads the records that it
    /// missed.
    /// </summary>
    private void WakeUp(StoreNode node)
    {
        for (var i = Random.Next(6); i > 0 && node.Serves; i--)
        {
            Call(node);
            node.Store.TryTakeTurn();
        }
        node.TakeMail();
    }

    /// <summary>Any node, rather one that takes writes.</summary>
    private StoreNode Draw()
    {
        var node = _nodes[Random.Next(_nodes.Length)];
        return !node.IsFilling && node.Store.Role == StorageRole.Leader ? node : _nodes[Random.Next(_nodes.Length)];
    }

    private void Call(StoreNode node)
    {
        if (!node.Serves)
            return;
        var (seen, number) = (Calls.Seen, ++Calls.Numbers);
        var kind = Random.Next(5);
        var task = node.Replica.WriteAsync(Operation(kind, StoreOperation.Draw(Random, number)));
        node.Await(() =>
        {
            if (!task.IsCompleted)
                return false;
            if (task.Exception?.InnerException is ComparisonException comparison)
                Calls.Read(comparison.Count, seen, "failed comparison");
            else if (task.Exception?.InnerException is { } error)
                Calls.Failed(number, error);
            else if (kind > 1)
                Calls.Wrote(number, task.Result);
            else
                Calls.Read(task.Result, seen, "write without changes");
            return true;
        });
    }

    private static Func<WriteTransaction, long> Operation(int kind, Func<WriteTransaction, long> write) =>
        kind switch
        {
            0 => StoreOperation.Count,
            1 => static t => throw new ComparisonException(StoreOperation.Count(t)),
            _ => write,
        };

    private void Read(StoreNode node)
    {
        if (!node.Serves)
            return;
        var seen = Calls.Seen;
        if (Fault == StoreFault.LeaseBeforeSnapshot)
        {
            if (node.Replica.HoldsLease)
                Log.Later(Random.Next(4000), () => Calls.Read(CountAt(node), seen, "read"));
            return;
        }
        var count = CountAt(node);
        if (node.Replica.HoldsLease)
            Calls.Read(count, seen, "read");
    }

    private static long CountAt(StoreNode node)
    {
        using var snapshot = node.Store.BeginRead();
        return StoreOperation.Count(snapshot);
    }
}
