using System.Globalization;
using Pipeline.Documents;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Tests.Subscriptions.Simulation;

/// <summary>
/// Tests window and leases. Writers commit concurrently; workers come, go, die, hang, reject, acknowledge late or
/// twice; the host crashes before, in the middle of and after an acknowledgement. The same seed gives the same run.
/// Each run is small, so that any number of them fits.
/// </summary>
internal sealed class DeliverySimulation(int seed, PlantedBug bug)
{
    private const int Steps = 4_000;
    private const int Keys = 40;
    private const int Writers = 4;
    private static readonly string[] Names =
    [
        .. Enumerable.Range(0, Keys).Select(k => "k" + k.ToString(CultureInfo.InvariantCulture)),
    ];
    private static readonly SubscriptionException Closed = new("s", SubscriptionProblem.Closed, "ended"),
        Lost = new("s", SubscriptionProblem.LeaseLost, "ended");
    private readonly Random _random = new(seed);
    private readonly CommitLog _log = new(Keys);
    private readonly List<int>?[] _preparing = new List<int>?[Writers];
    private readonly List<long>?[] _promised = new List<long>?[Writers];
    private readonly List<Hand> _late = [];
    private DeliveryWindow _window = new(500, long.MaxValue);
    private LeaseTable _leases = new();
    private Dictionary<WorkerLease, Hand> _hands = [];
    private byte[] _durable = SubscriptionCheckpoint.At(0).ToBytes();
    private long _now;

    public long Changes => _log.Count;

    public long Crashes { get; private set; }

    public long Fenced { get; private set; }

    public long Rejected { get; private set; }

    public long Rebalanced { get; private set; }

    public void Run()
    {
        for (var step = 0; step < Steps; step++)
            Step();
        for (var i = 0; i < Writers; i++)
            Commit(i);
        for (
            int idle = 0, before = _log.DealtWith;
            _log.DealtWith < _log.Count;
            idle = _log.DealtWith == before ? idle + 1 : 0, before = _log.DealtWith
        )
        {
            if (idle > 100)
            {
                throw Error(
                    $"{_log.Count - _log.DealtWith} changes are given to nobody, the first at {_log.FirstOpen()}"
                );
            }

            _now += 1000;
            Read();
            if (_leases.Workers.Count == 0)
                Join();
            foreach (var lease in _leases.Workers.ToArray())
            {
                Take(lease);
                if (_hands.ContainsKey(lease))
                    Acknowledge(lease, rejects: false, crashes: false);
            }

            if (_window.IsEmpty && _window.Through >= _log.Count && _log.DealtWith < _log.Count)
                throw Error($"{_log.Count - _log.DealtWith} changes were never given, the first at {_log.FirstOpen()}");
        }
    }

    private void Step()
    {
        _now++;
        switch (_random.Next(100))
        {
            case < 15:
                Prepare(_random.Next(Writers));
                break;
            case < 30:
                Commit(_random.Next(Writers));
                break;
            case < 50:
                Read();
                break;
            case < 53:
                if (_leases.Workers.Count < 5)
                    Join();
                break;
            case < 75:
                if (Pick() is { } taker)
                    Take(taker);
                break;
            case < 92:
                if (Pick() is { } worker && _hands.ContainsKey(worker))
                    Acknowledge(worker, rejects: true, crashes: true);
                break;
            case < 94:
                if (Pick() is { } leaver)
                    End(leaver, Closed);
                break;
            case < 97:
                foreach (var expired in _leases.Expired(_now).Where(_hands.ContainsKey))
                    End(expired, Lost);
                break;
            case < 99:
                AcknowledgeLate();
                break;
            default:
                Crash();
                break;
        }
    }

    /// <summary>A writer makes a transaction. Its positions come with its commit.</summary>
    private void Prepare(int writer)
    {
        if (_preparing[writer] is not null)
            return;
        List<int> keys = [.. Enumerable.Range(0, _random.Next(1, 24)).Select(_ => _random.Next(Keys))];
        _preparing[writer] = keys;
        if (bug == PlantedBug.PositionBeforeCommit)
            _promised[writer] = [.. keys.Select(k => _log.Add(k, isVisible: false))];
    }

    private void Commit(int writer)
    {
        foreach (var position in _promised[writer] ?? [])
            _log.Show(position);
        if (bug != PlantedBug.PositionBeforeCommit)
        {
            foreach (var key in _preparing[writer] ?? [])
                _log.Add(key, isVisible: true);
        }

        (_preparing[writer], _promised[writer]) = (null, null);
    }

    private WorkerLease? Pick() =>
        _leases.Workers.Count == 0 ? null : _leases.Workers[_random.Next(_leases.Workers.Count)];

    private void Join()
    {
        Rebalanced += _leases.Workers.Count > 0 ? 1 : 0;
        _leases.Join("w", TimeSpan.FromTicks(_random.Next(20, 200)), _now);
    }

    private void Read()
    {
        if (!_window.HasRoom)
            return;
        var through = Math.Min(_log.LastVisible, _window.Through + _random.Next(1, 60));
        for (var position = _window.Through + 1; position <= through; position++)
        {
            if (!_log.IsVisible(position) || _window.IsDone(position))
                continue;
            _window.Add(
                new DeliveryItem(
                    new Change(position, ChangeKind.Put, Names[_log.KeyOf(position)], "As", default, default),
                    default
                )
            );
        }

        _window.ReadThrough(through);
    }

    private void Take(WorkerLease lease)
    {
        if (_hands.ContainsKey(lease))
            return;
        var items = new List<DeliveryItem>();
        var partitions = lease.Partitions;
        if (bug == PlantedBug.HandedOverInFlight && _random.Next(20) == 0)
            partitions = Enumerable.Repeat(true, DeliveryPartition.Count).ToArray();
        _window.Take(partitions, _random.Next(1, 20), long.MaxValue, _now, items);
        if (bug == PlantedBug.RetriesOvertaken)
            Overtake(items);
        if (items.Count == 0)
            return;
        foreach (var item in items)
            lease.Begin(item);
        lease.UntilTicks = _now + lease.Duration.Ticks;
        _hands[lease] = new Hand(lease, items);
        if (_log.Give(lease, items.Select(i => i.Position)) is { } broken)
            throw Error(broken);
        if (bug == PlantedBug.PositionBeforeAcknowledgement)
            _durable = _window.After(items, []).ToBytes();
    }

    /// <summary>What waits for its retry comes last, so that later changes of its key come before it.</summary>
    private void Overtake(List<DeliveryItem> items)
    {
        if (items.Count < 2 || items[0].Attempts == 0)
            return;
        _window.Return(items[0], _now + 50, null);
        items.RemoveAt(0);
    }

    private void Acknowledge(WorkerLease lease, bool rejects, bool crashes)
    {
        var hand = _hands[lease];

        // Some acknowledge the same batch once more later.
        if (rejects && _random.Next(6) == 0)
            _late.Add(hand);
        var again = rejects ? hand.Items.FindAll(_ => _random.Next(15) == 0) : [];

        // A worker that rejects a change rejects those of its key that follow in the batch.
        if (again.Count > 0)
            again = hand.Items.FindAll(i => again.Exists(a => a.Change.Id == i.Change.Id && a.Position <= i.Position));
        var done = again.Count == 0 ? hand.Items : hand.Items.FindAll(i => !again.Contains(i));
        var crash = crashes ? _random.Next(200) : -1;
        if (crash == 0)
        {
            Crash();
            return;
        }

        Settle(done);
        if (crash == 1)
        {
            // It is durable, but the worker was not told.
            Crash();
            return;
        }

        foreach (var item in done)
            _window.Settle(item);
        if (!_window.After([], []).ToBytes().AsSpan().SequenceEqual(_durable))
            throw Error($"{_window.Position} is not the durable position");
        foreach (var item in again)
        {
            item.Attempts++;
            Rejected++;
            _window.Return(item, _now + _random.Next(1, 30), "no");
        }

        foreach (var item in hand.Items)
            lease.End(item);
        lease.UntilTicks = long.MaxValue;
        _hands.Remove(lease);
        _log.Release(lease);
        _leases.HandOver();
    }

    /// <summary>
    /// Commits the effect and the position together, as a worker does that commits with its acknowledgement.
    /// </summary>
    private void Settle(List<DeliveryItem> done)
    {
        _durable = _window.After(done, []).ToBytes();
        foreach (var item in done)
        {
            if (_log.Deal(item.Position) is { } broken)
                throw Error(broken);
        }
    }

    private void AcknowledgeLate()
    {
        if (_late.Count == 0)
            return;
        var index = _random.Next(_late.Count);
        var hand = _late[index];
        _late.RemoveAt(index);
        var holds = hand.Lease.Ended is null && _hands.TryGetValue(hand.Lease, out var now) && now == hand;
        if (holds)
            return;
        if (bug == PlantedBug.LeaseNotFenced)
            Settle(hand.Items);
        else
            Fenced++;
    }

    private void End(WorkerLease lease, SubscriptionException reason)
    {
        if (_hands.Remove(lease, out var hand))
        {
            foreach (var item in hand.Items)
            {
                lease.End(item);
                _window.Return(item, 0, null);
            }

            _log.Release(lease);
            _late.Add(hand);
        }

        Rebalanced += _leases.Workers.Count > 1 ? 1 : 0;
        _leases.Leave(lease, reason);
    }

    private void Crash()
    {
        Crashes++;
        foreach (var lease in _hands.Keys)
            _log.Release(lease);
        var place = SubscriptionCheckpoint.Parse("s", _durable);
        if (bug == PlantedBug.AheadForgotten)
            place = SubscriptionCheckpoint.At(place.Position);
        _window = new DeliveryWindow(300, long.MaxValue);
        _window.Reset(place.Position, place.Ahead, place.Again);
        _leases = new LeaseTable();
        _hands = [];
        _late.Clear();
    }

    private SimulationException Error(string message) => new($"seed {seed}: {message}");

    /// <summary>What a worker holds of a batch that it was given.</summary>
    private sealed record Hand(WorkerLease Lease, List<DeliveryItem> Items);
}
