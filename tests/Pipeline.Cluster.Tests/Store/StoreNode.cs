using Pipeline.Cluster.Tests.Node;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;

namespace Pipeline.Cluster.Tests.Store;

/// <summary>A process: the shipped loop, a real store on a simulated disk, and its clock.</summary>
internal sealed partial class StoreNode : ILogWriter, IDisposable
{
    private readonly StoreSimulation _simulation;
    private readonly int _index;
    private readonly double _rate;
    private readonly TimeSpan _offset;
    private readonly List<Func<bool>> _calls = [];
    private readonly Queue<(ReadTransaction Snapshot, long Count)> _held = new();
    private readonly Queue<Action> _mail = new();
    private SimulatedDisk _disk = new();
    private CrashReplay _replay = new();
    private PositionFile? _position;
    private int _life;
    private bool _slept,
        _diskFails;

    public StoreNode(StoreSimulation simulation, int index)
    {
        (_simulation, _index) = (simulation, index);
        // The wait is 1.2 leases: clocks may differ by that much and no more.
        _rate = 0.95 + (simulation.Random.NextDouble() * 0.1);
        _offset = TimeSpan.FromSeconds(simulation.Random.Next(100_000));
        Open();
    }

    public StorageEnvironment Store { get; private set; } = null!;

    public ReplicatedStore Replica { get; private set; } = null!;

    /// <summary>The process does nothing before this moment: paused or down.</summary>
    public long SleepsUntil { get; set; }

    /// <summary>Until this moment the log does not answer the process's reads; appends go on.</summary>
    public long ReadsNothingUntil { get; set; }

    public bool Sleeps => _simulation.Now < SleepsUntil;

    /// <summary>Whether it runs and has a store.</summary>
    public bool Serves => !Sleeps && !IsFilling;

    /// <summary>Whether the process slept at its last step and does not any more.</summary>
    public bool WokeUp => _slept && !Sleeps;

    public TimeSpan Clock => _offset + (TimeSpan.FromMilliseconds(_simulation.Now) * _rate);

    /// <summary>Where the node stands, for a trace.</summary>
    public string State =>
        IsFilling
            ? $"n{_index} is filled"
            : $"n{_index} {(Sleeps ? "sleeps" : Replica.Loop.Role)} {Store.Role} read {Replica.Loop.Place} at {Store.LastCommittedTransaction}, durable {Store.DurableTransaction}{(Replica.Stall is { } stall ? " " + stall.GetType().Name : "")}";

    /// <summary>Whether the disk has no room from now on.</summary>
    public bool IsFull
    {
        set => _disk.FreeBytes = value ? 0 : long.MaxValue;
    }

    /// <summary>The next change of the disk fails, and each after it, until the process is started again.</summary>
    public void FailDisk()
    {
        _diskFails = true;
        _disk.Fault = e => new IOException($"planted: {e.Kind}");
    }

    /// <summary>
    /// Ends the process and starts another one, on what a crash leaves of its disk. The crash may have been a little
    /// earlier: what the node has said since does not rest on its disk.
    /// </summary>
    public void Restart(bool losesDisk, CrashMode? mode = null)
    {
        var random = _simulation.Random;
        SimulatedDisk next;
        if (losesDisk)
        {
            next = new SimulatedDisk();
        }
        else
        {
            // Often in the midst of a flush.
            if (random.Next(3) == 0 && !_diskFails && !IsFilling && Store.Failure is null)
                Flush();
            var log = _disk.Log;
            var until = log.Count - random.Next(Math.Min(log.Count - _toldAt, 40) + 1);
            for (var i = 0; i < until; i++)
                _replay.Apply(log[i]);
            next = _replay.Crash(random, mode ?? (CrashMode)random.Next(3), record: true);
        }
        Close();
        _disk.Dispose();
        _replay.Dispose();
        _disk = next;
        _toldAt = 0;
        _replay = losesDisk ? new CrashReplay() : new CrashReplay(next);
        Open();
        if (losesDisk)
            Tell(0);
    }

    public void Step()
    {
        _slept = Sleeps;
        if (_slept)
            return;
        if (IsFilling)
        {
            Fill();
            return;
        }
        Recover();
        if (_simulation.Random.Next(3) > 0 && _simulation.Now >= ReadsNothingUntil)
            ReadLog(_simulation.Random.Next(1, 60));
        Work();
        Tidy();
        if (Replica.Loop.Stop == NodeStop.NeedsRefill)
            BeginFilling();
        else if (_simulation.Random.Next(4) == 0)
            Tell(_simulation.Fault == StoreFault.TrimAheadOfDisk ? Replica.Loop.Place : Replica.KeptPlace);
    }

    private void ReadLog(int most)
    {
        var log = _simulation.Log;
        var from = (int)Replica.Loop.ReadFrom;
        var count = Math.Min(log.Records.Count - from, most);
        if (from < log.First)
            Replica.Trimmed();
        else if (count >= 0)
            Replica.Read(from, log.Records.GetRange(from, count), log.Records.Count);
    }

    /// <summary>Takes the answers that came while the process slept.</summary>
    public void TakeMail()
    {
        while (_mail.TryDequeue(out var answer))
            answer();
    }

    /// <summary>Runs the store's waiting work, and answers clients.</summary>
    public void Work()
    {
        if (IsFilling)
            return;
        while (Store.TryTakeTurn()) { }
        Replica.Tick();
        _calls.RemoveAll(call => call());
    }

    /// <summary>Reads all that the log has.</summary>
    public void CatchUp()
    {
        for (var i = 0; IsFilling && i < 2000; i++)
            Fill();
        if (IsFilling)
            throw new SimulationFailure($"n{_index} could not be filled");
        Recover();
        ReadLog(int.MaxValue);
        Work();
    }

    /// <summary>A call whose end is looked for after each step.</summary>
    /// <param name="isDone">Tells the clients and returns true if it has ended.</param>
    public void Await(Func<bool> isDone) => _calls.Add(isDone);

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
                    StoreFault.NoContiguity when answer.Outcome == AppendOutcome.At => AppendAnswer.At(expected),
                    StoreFault.UnknownTakenForLanded when answer.Outcome == AppendOutcome.Unknown => AppendAnswer.At(
                        expected
                    ),
                    _ => answer,
                };
                // A process that sleeps finds the answer when it wakes.
                if (Sleeps)
                    _mail.Enqueue(() => Answer(life, id, told));
                else
                    Answer(life, id, told);
            }
        );
    }

    public void Dispose()
    {
        Close();
        _disk.Dispose();
        _replay.Dispose();
    }

    private void Answer(int life, long id, AppendAnswer answer)
    {
        if (life != _life || IsFilling)
            return;
        Replica.Answered(id, answer);
        _calls.RemoveAll(call => call());
    }

    /// <summary>What a process does about a store that took no entry.</summary>
    private void Recover()
    {
        if (Store.Failure is { } failure)
        {
            if (!_diskFails)
                throw new SimulationFailure($"a store failed on a disk that did not: {failure.Message}");
            Restart(losesDisk: false);
        }
        else if (Replica.Stall is DiskFullException or ScratchFullException)
        {
            Replica.Resume(NewStart());
        }
        else if (Replica.Stall is { } stall)
        {
            throw new SimulationFailure($"a store took no entry: {stall.Message}");
        }
    }

    private void Flush()
    {
        try
        {
            Store.Flush();
        }
        catch (DiskFullException)
        {
            _simulation.FullDisks++;
        }
    }

    private void Tidy()
    {
        var random = _simulation.Random;
        try
        {
            switch (random.Next(60))
            {
                case 0 or 1 or 7 or 8:
                    Flush();
                    break;
                case 2 or 3 or >= 50:
                    Replica.SavePosition();
                    break;
                case 4 when _held.Count < 3:
                    var snapshot = Store.BeginRead();
                    _held.Enqueue((snapshot, StoreOperation.Count(snapshot)));
                    break;
                case 5 or 6 when _held.TryDequeue(out var held):
                    var count = StoreOperation.History(held.Snapshot).Count;
                    held.Snapshot.Dispose();
                    if (count != held.Count)
                        throw new SimulationFailure($"a held snapshot of write {held.Count} has {count} writes");
                    break;
            }
        }
        catch (Exception e) when (_diskFails && e is StorageFailedException or IOException)
        {
            Restart(losesDisk: false);
        }
    }

    private Guid NewStart() => new(_index + 1, (short)++_life, 0, new byte[8]);

    private StorageOptions Options =>
        SimulatedStore.Options(_disk) with
        {
            IsReplica = true,
            Threadless = true,
            Faults = _simulation.StorageFaults,
            AppendWindow = 3,
            PagesPerChunk = 4,
            JournalCompression = JournalCompression.Off,
            TimeProvider = new SimulatedTime(() => Clock),
        };

    private void Open()
    {
        _diskFails = false;
        try
        {
            Store = StorageEnvironment.Open(Options);
        }
        catch (UnfinishedRestoreException)
        {
            BeginFilling();
            return;
        }
        catch (StorageException e)
        {
            throw new SimulationFailure($"n{_index} did not open: {e.Message}");
        }
        _position = PositionFile.Open(_disk, SimulatedStore.Folder);
        Replica = new ReplicatedStore(
            Store,
            _position,
            new NodeOptions($"n{_index}", NewStart())
            {
                ByTail = _simulation.ByTail,
                Address = $"http://n{_index}",
                Seed = _simulation.Random.Next(),
                LeaseWait =
                    _simulation.Fault == StoreFault.NoLeaseWait ? TimeSpan.Zero : TimeSpan.FromMilliseconds(1200),
                ElectAfter = TimeSpan.FromMilliseconds(_simulation.ElectsEarly ? 300 : 1500),
                MaxRecordBytes = LogRecord.HeaderBytes + 3000,
            },
            this,
            () => Clock
        )
        {
            IdlePlaces = 4,
        };
    }

    private void Close()
    {
        _simulation.EndCopiesOf(this);
        _life++;
        EndFilling();
        foreach (var (snapshot, _) in _held)
            snapshot.Dispose();
        _held.Clear();
        _calls.Clear();
        _mail.Clear();
        // What the end of the process writes goes nowhere: the disk was copied, or is lost.
        _disk.Fault = null;
        _disk.FreeBytes = long.MaxValue;
        _position?.Dispose();
        _position = null;
        if (!IsFilling)
            Store.Dispose();
        IsFilling = false;
    }

    /// <summary>Entries hold the time, so it must follow from the seed, too.</summary>
    private sealed class SimulatedTime(Func<TimeSpan> clock) : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch + clock();

        public override long GetTimestamp() => clock().Ticks;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;
    }
}
