using System.Globalization;
using Pipeline.Database;
using Pipeline.Subscriptions;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Tests.Subscriptions;

/// <summary>
/// Window and leases under random workers that come, go, hang, reject, acknowledge late or twice, and a host that crashes: the same seed, the same run.
/// What is acknowledged is compared with the log of all changes. <c>PIPELINE_DELIVERY_CHANGES</c> sets how many, <c>PIPELINE_SEED</c> the first seed.
/// </summary>
public sealed class DeliverySimulationTests(ITestOutputHelper output)
{
    [Fact]
    public void Every_change_is_dealt_with_once_and_in_the_order_of_its_key()
    {
        long most = long.Parse(Environment.GetEnvironmentVariable("PIPELINE_DELIVERY_CHANGES") ?? "100000", CultureInfo.InvariantCulture);
        int seed = int.Parse(Environment.GetEnvironmentVariable("PIPELINE_SEED") ?? "1", CultureInfo.InvariantCulture);
        long changes = 0, crashes = 0, fenced = 0, rejected = 0;
        while (changes < most)
        {
            var run = new Simulation(seed++, PlantedBug.None);
            run.Run();
            changes += run.Changes;
            crashes += run.Crashes;
            fenced += run.Fenced;
            rejected += run.Rejected;
        }

        output.WriteLine($"{changes} changes, {crashes} crashes, {fenced} late acknowledgements refused, {rejected} rejections");
        Assert.True(crashes > changes / 1000 && fenced > changes / 1000 && rejected > changes / 100);
    }

    [Theory]
    [InlineData(PlantedBug.PositionBeforeAcknowledgement)]
    [InlineData(PlantedBug.LeaseNotFenced)]
    [InlineData(PlantedBug.RetriesOvertaken)]
    [InlineData(PlantedBug.PositionBeforeCommit)]
    public void A_planted_bug_is_found(PlantedBug bug)
    {
        for (int seed = 1; seed < 200; seed++)
        {
            try
            {
                new Simulation(seed, bug).Run();
            }
            catch (SimulationException e)
            {
                output.WriteLine($"seed {seed}: {e.Message}");
                return;
            }
        }

        Assert.Fail($"{bug} was not found");
    }

    public enum PlantedBug
    {
        None,
        PositionBeforeAcknowledgement,
        LeaseNotFenced,
        RetriesOvertaken,
        PositionBeforeCommit,
    }

    private sealed class SimulationException(string message) : Exception(message);

    /// <summary>What a worker holds of a batch that it was given.</summary>
    private sealed record Hand(WorkerLease Lease, List<DeliveryItem> Items);

    private sealed class Simulation(int seed, PlantedBug bug)
    {
        private const int Steps = 4_000;
        private readonly Random _random = new(seed);
        private readonly List<(string Key, long Version)> _log = [];
        private readonly Dictionary<string, long> _lastOfKey = [];
        private readonly HashSet<long> _settled = [];
        private readonly List<Hand> _late = [];
        private DeliveryWindow _window = new(500, long.MaxValue);
        private LeaseTable _leases = new();
        private Dictionary<WorkerLease, Hand> _hands = [];
        private SubscriptionCheckpoint _durable = SubscriptionCheckpoint.At(0);
        private long _hidden;
        private long _now;

        public long Changes => _log.Count;

        public long Crashes { get; private set; }

        public long Fenced { get; private set; }

        public long Rejected { get; private set; }

        public void Run()
        {
            for (int step = 0; step < Steps; step++) Step();
            _hidden = 0;
            while (_settled.Count < _log.Count)
            {
                _now += 1000;
                Read();
                if (_leases.Workers.Count == 0) _leases.Join("last", TimeSpan.FromTicks(100), _now);
                foreach (WorkerLease lease in _leases.Workers.ToArray())
                {
                    Take(lease);
                    if (_hands.ContainsKey(lease)) Acknowledge(lease, rejects: false);
                }

                if (_window.IsEmpty && _window.Through >= _log.Count && _settled.Count < _log.Count)
                    throw Error($"{_log.Count - _settled.Count} changes were never given, the first at {Enumerable.Range(1, _log.Count).First(p => !_settled.Contains(p))}");
            }
        }

        private void Step()
        {
            _now++;
            switch (_random.Next(100))
            {
                case < 30:
                    for (int i = _random.Next(1, 12); i > 0; i--) _log.Add(($"k{_random.Next(40)}", _log.Count + 1));

                    // A commit whose positions are given out and that is not yet to be seen.
                    _hidden = bug == PlantedBug.PositionBeforeCommit ? _random.Next(0, 4) : 0;
                    break;
                case < 50:
                    Read();
                    break;
                case < 53:
                    if (_leases.Workers.Count < 5) _leases.Join("w", TimeSpan.FromTicks(_random.Next(20, 200)), _now);
                    break;
                case < 75:
                    if (Pick() is { } taker) Take(taker);
                    break;
                case < 92:
                    if (Pick() is { } worker && _hands.ContainsKey(worker)) Acknowledge(worker, rejects: true);
                    break;
                case < 94:
                    if (Pick() is { } leaver) End(leaver, SubscriptionProblem.Closed);
                    break;
                case < 97:
                    foreach (WorkerLease expired in _leases.Expired(_now).Where(w => _hands.ContainsKey(w))) End(expired, SubscriptionProblem.LeaseLost);
                    break;
                case < 99:
                    AcknowledgeLate();
                    break;
                default:
                    Crash();
                    break;
            }
        }

        private WorkerLease? Pick() => _leases.Workers.Count == 0 ? null : _leases.Workers[_random.Next(_leases.Workers.Count)];

        private void Read()
        {
            if (!_window.HasRoom) return;
            long through = Math.Min(_log.Count, _window.Through + _random.Next(1, 60));
            for (long position = _window.Through + 1; position <= through; position++)
            {
                // A reader that sees a position before those below it passes over them.
                if (_hidden > 0 && position == through - 1) continue;
                if (_window.IsDone(position)) continue;
                (string key, _) = _log[(int)position - 1];
                _window.Add(new DeliveryItem(new Change(position, ChangeKind.Put, key, "As", default, default), default, null));
            }

            _window.ReadThrough(through);
        }

        private void Take(WorkerLease lease)
        {
            if (_hands.ContainsKey(lease)) return;
            var items = new List<DeliveryItem>();
            _window.Take(lease.Partitions, _random.Next(1, 20), long.MaxValue, _now, items);
            if (bug == PlantedBug.RetriesOvertaken) Overtake(items);
            if (items.Count == 0) return;
            foreach (DeliveryItem item in items) lease.Begin(item);
            lease.UntilTicks = _now + lease.Duration.Ticks;
            _hands[lease] = new Hand(lease, items);
            if (bug == PlantedBug.PositionBeforeAcknowledgement) _durable = _window.After(items, []);
        }

        /// <summary>Takes what waits for its retry last, so that later changes of its key come before it.</summary>
        private void Overtake(List<DeliveryItem> items)
        {
            if (items.Count < 2 || items[0].Attempts == 0) return;
            _window.Return(items[0], _now + 50, null);
            items.RemoveAt(0);
        }

        private void Acknowledge(WorkerLease lease, bool rejects)
        {
            Hand hand = _hands[lease];
            if (_random.Next(6) == 0 && rejects) _late.Add(hand);
            List<DeliveryItem> again = rejects ? hand.Items.FindAll(_ => _random.Next(15) == 0) : [];

            // A worker that rejects a change rejects those of its key that follow in the batch.
            again = hand.Items.FindAll(i => again.Exists(a => a.Change.Id == i.Change.Id && a.Position <= i.Position));
            List<DeliveryItem> done = hand.Items.FindAll(i => !again.Contains(i));
            Commit(done);
            foreach (DeliveryItem item in again)
            {
                item.Attempts++;
                Rejected++;
                _window.Return(item, _now + _random.Next(1, 30), "no");
            }

            foreach (DeliveryItem item in hand.Items) lease.End(item);
            lease.UntilTicks = long.MaxValue;
            _hands.Remove(lease);
            _leases.HandOver();
        }

        /// <summary>The effect and the position are one: what is settled here is what a worker that commits with its acknowledgement has done.</summary>
        private void Commit(List<DeliveryItem> done)
        {
            foreach (DeliveryItem item in done)
            {
                if (!_settled.Add(item.Position)) throw Error($"the change {item.Position} was acknowledged twice");
                long last = _lastOfKey.GetValueOrDefault(item.Change.Id);
                if (last > item.Position) throw Error($"the change {item.Position} of {item.Change.Id} came after {last}");
                _lastOfKey[item.Change.Id] = item.Position;
            }

            _durable = SubscriptionCheckpoint.Parse("s", _window.After(done, []).ToBytes());
            foreach (DeliveryItem item in done) _window.Settle(item);
            if (_window.Position != _durable.Position || !_window.Ahead.SequenceEqual(_durable.Ahead)) throw Error($"{_window.Position} is not the durable {_durable.Position}");
        }

        private void AcknowledgeLate()
        {
            if (_late.Count == 0) return;
            Hand hand = _late[_random.Next(_late.Count)];
            _late.Remove(hand);
            if (bug == PlantedBug.LeaseNotFenced) Commit(hand.Items);
            else if (hand.Lease.Ended is not null || !_hands.TryGetValue(hand.Lease, out Hand? now) || now != hand) Fenced++;
        }

        private void End(WorkerLease lease, SubscriptionProblem problem)
        {
            if (_hands.Remove(lease, out Hand? hand))
            {
                foreach (DeliveryItem item in hand.Items)
                {
                    lease.End(item);
                    _window.Return(item, 0, null);
                }

                _late.Add(hand);
            }

            _leases.Leave(lease, new SubscriptionException("s", problem, "ended"));
        }

        private void Crash()
        {
            Crashes++;
            _window = new DeliveryWindow(300, long.MaxValue);
            _window.Reset(_durable.Position, _durable.Ahead, _durable.Again);
            _leases = new LeaseTable();
            _hands = [];
            _late.Clear();
        }

        private SimulationException Error(string message) => new($"seed {seed}: {message}");
    }
}
