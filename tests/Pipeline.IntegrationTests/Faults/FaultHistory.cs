using System.Collections.Concurrent;
using Pipeline.IntegrationTests.Faults.Checkers;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>All that the clients of a run were told. Thread-safe.</summary>
internal sealed class FaultHistory
{
    /// <summary>How many registers of each kind there are; the value of each is 0 at first.</summary>
    public const int Registers = 4;

    /// <summary>How many accounts there are, and what each has at first.</summary>
    public const int Accounts = 6;

    public const long Balance = 100;

    /// <summary>After so many appends the clients go on with another list.</summary>
    public const int ListLength = 150;

    /// <summary>The collections that subscriptions deliver.</summary>
    public static readonly IReadOnlyList<string> Watched = ["Registers", "Lists"];
    private readonly ConcurrentQueue<RegisterCall>[] _documents = Queues();
    private readonly ConcurrentQueue<RegisterCall>[] _exchanges = Queues();
    private readonly ConcurrentDictionary<int, ConcurrentQueue<ListCall>> _lists = new();
    private readonly ConcurrentQueue<BankRead> _bank = new();
    private readonly ConcurrentQueue<FollowerRead> _followers = new();
    private long _value;
    private int _appends;
    private int _acknowledged;

    /// <summary>The list that appends go to.</summary>
    public int CurrentList => Volatile.Read(ref _appends) / ListLength;

    /// <summary>How many writes were acknowledged.</summary>
    public int Acknowledged => Volatile.Read(ref _acknowledged);

    /// <summary>What was counted, for people.</summary>
    public string Summary { get; private set; } = "";

    /// <summary>A value that nobody has written yet.</summary>
    public long NextValue() => Interlocked.Increment(ref _value);

    /// <summary>The list for a new append.</summary>
    public int NextList() => Interlocked.Increment(ref _appends) / ListLength;

    public void AddDocument(int register, RegisterCall call) => Add(_documents[register], call);

    public void AddExchange(int register, RegisterCall call) => Add(_exchanges[register], call);

    public void Add(int list, ListCall call)
    {
        _lists.GetOrAdd(list, _ => new()).Enqueue(call);
        Count(call.Appended is not null, call.Outcome);
    }

    public void Add(BankRead read) => _bank.Enqueue(read);

    public void AddTransfer(CallOutcome outcome) => Count(isWrite: true, outcome);

    public void Add(FollowerRead read) => _followers.Enqueue(read);

    /// <summary>Checks all of it.</summary>
    /// <param name="sent">The messages of the ETL task to Kafka; null if they could not be read.</param>
    /// <param name="queued">Those of the ETL task to RabbitMQ; null if they could not be read.</param>
    /// <param name="delivered">What the subscriptions delivered.</param>
    /// <returns>What is wrong; empty if nothing is.</returns>
    public IReadOnlyList<string> Check(
        IReadOnlyList<SentMessage>? sent,
        IReadOnlyList<QueuedMessage>? queued,
        IReadOnlyList<(string Subscription, IReadOnlyCollection<DeliveredBatch> Batches)> delivered
    )
    {
        var documents = _documents
            .Select(
                (calls, i) =>
                    new RegisterChecker(
                        $"registers/{i}",
                        0,
                        [.. calls],
                        _followers.Select(f => (f.Values[i], f.ToString()))
                    )
            )
            .ToList();
        var exchanges = _exchanges.Select((calls, i) => new RegisterChecker($"exchange/{i}", 0, [.. calls])).ToList();
        var places = new WatchedPlaces(
            [.. documents.Select(d => d.Places)],
            _lists.ToDictionary(
                l => $"lists/{l.Key}",
                l => l.Value.Select(c => c.Read).OfType<IReadOnlyList<long>>().MaxBy(r => r.Count) ?? []
            )
        );
        var followers = new FollowerChecker([.. documents.Select(d => d.Places)]);
        List<string> faults =
        [
            .. documents.SelectMany(d => d.Faults),
            .. exchanges.SelectMany(d => d.Faults),
            .. _lists.SelectMany(l => ListChecker.Check($"lists/{l.Key}", [.. l.Value])),
            .. BankChecker.Check(Accounts, Accounts * Balance, _bank),
            .. followers.Check(_followers),
            .. sent is null ? [] : MessageChecker.Check([.. documents.Select(d => d.Places)], sent),
            .. queued is null ? [] : QueueChecker.Check([.. documents.Select(d => d.Places)], queued),
            .. delivered.SelectMany(
                (d, i) => SubscriptionChecker.Check(d.Subscription, d.Batches, places.Find, places.LastOf(Watched[i]))
            ),
        ];
        var calls = _documents.Concat(_exchanges).SelectMany(q => q).Select(c => c.Outcome);
        var outcomes = calls
            .Concat(_lists.Values.SelectMany(q => q).Select(c => c.Outcome))
            .GroupBy(o => o)
            .OrderBy(g => g.Key)
            .Select(g => $"{g.Count():N0} {g.Key}");
        Summary =
            $"{Acknowledged:N0} writes acknowledged; calls to registers and lists: {string.Join(", ", outcomes)}; {_bank.Count:N0} reads of the bank, {_followers.Count:N0} at followers, {followers.OlderAfterStart} older after a start of the node; {sent?.Count:N0} messages, {queued?.Count:N0} in the queue, {QueueChecker.CountRepeated(queued ?? []):N0} of them repeated";
        return faults;
    }

    /// <summary>Writes all of it down.</summary>
    public void WriteTo(string file) =>
        File.WriteAllLines(
            file,
            [
                .. _documents.SelectMany((q, i) => q.OrderBy(c => c.Began).Select(c => $"registers/{i} {c}")),
                .. _exchanges.SelectMany((q, i) => q.OrderBy(c => c.Began).Select(c => $"exchange/{i} {c}")),
                .. _lists.SelectMany(l =>
                    l.Value.OrderBy(c => c.Began)
                        .Select(c => $"lists/{l.Key} {c} {(c.Read is null ? "" : string.Join(' ', c.Read))}")
                ),
                .. _bank.Select(r => $"bank {r.By} {string.Join(' ', r.Balances)}"),
                .. _followers.OrderBy(r => r.Began).Select(r => $"follower {r}"),
            ]
        );

    private static ConcurrentQueue<RegisterCall>[] Queues() =>
        [.. Enumerable.Range(0, Registers).Select(_ => new ConcurrentQueue<RegisterCall>())];

    private void Add(ConcurrentQueue<RegisterCall> calls, RegisterCall call)
    {
        calls.Enqueue(call);
        Count(call.IsWrite, call.Outcome);
    }

    private void Count(bool isWrite, CallOutcome outcome)
    {
        if (isWrite && outcome == CallOutcome.Done)
            Interlocked.Increment(ref _acknowledged);
    }
}
