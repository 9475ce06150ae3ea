using System.Text.Json;
using Pipeline.Database;
using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <summary>
/// Creates, changes, pauses and deletes the subscriptions of a database, and opens them for workers. Thread-safe. One
/// per database.
/// </summary>
/// <remarks>
/// Definitions and positions are stored in the database, so backups include them. The database must outlive this
/// object, which does not close it.
/// </remarks>
public sealed partial class SubscriptionHost : IAsyncDisposable
{
    // Of all subscriptions that wait for their workers.
    private const long MaxReadAhead = 128 << 20;
    private const string NamesKey = "subscriptions/names";
    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web);
    private readonly DocumentDatabase _database;
    private readonly TimeProvider _time;
    private readonly SemaphoreSlim _change = new(1);
    private readonly Dictionary<string, Subscription> _open = new(StringComparer.OrdinalIgnoreCase);
    private readonly Lock _gate = new();
    private readonly ReadAheadShare _share = new(MaxReadAhead);
    private bool _isDisposed;

    private SubscriptionHost(DocumentDatabase database, SubscriptionHostOptions options)
    {
        (_database, _options, _time) = (database, options, options.Time);
        _logger = options.Loggers.CreateLogger("Pipeline.Subscriptions");
        _events = new SubscriptionEvents(_time);
    }

    /// <summary>Opens the subscriptions of a database.</summary>
    /// <param name="database">The database.</param>
    /// <param name="time">The clock of leases and retries; null for the system clock.</param>
    /// <exception cref="CursorStateException">A subscription's stored state cannot be read.</exception>
    public static SubscriptionHost Open(DocumentDatabase database, TimeProvider? time = null) =>
        Open(database, new SubscriptionHostOptions { Time = time ?? TimeProvider.System });

    /// <summary>Opens the subscriptions of a database.</summary>
    /// <param name="database">The database.</param>
    /// <param name="options">The host's options.</param>
    /// <exception cref="CursorStateException">A subscription's stored state cannot be read.</exception>
    public static SubscriptionHost Open(DocumentDatabase database, SubscriptionHostOptions options)
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(options);
        var host = new SubscriptionHost(database, options);
        using (var snapshot = database.OpenSnapshot())
            host.Load(snapshot);
        SubscriptionMetrics.Register(host, database.Name);
        if (!options.OnlyLooks)
            host._watching = host.WatchAsync(host._stop.Token);
        return host;
    }

    /// <summary>The names of all subscriptions, sorted.</summary>
    public IReadOnlyList<string> Names()
    {
        lock (_gate)
            return [.. _open.Keys.Order(StringComparer.OrdinalIgnoreCase)];
    }

    /// <summary>The definition and status of a subscription, or of all if the name is null.</summary>
    public IReadOnlyList<SubscriptionStatus> GetStatus(string? name = null)
    {
        var consumers = _database.Consumers.GetStatus().ToDictionary(c => c.Name, StringComparer.OrdinalIgnoreCase);
        return
        [
            .. Look(name)
                .Select(s =>
                    consumers.TryGetValue(ConsumerName(s.Name), out var its)
                        ? s with
                        {
                            Consumer = its,
                            Verdict = Judge(s, its),
                        }
                        : s
                ),
        ];
    }

    /// <summary>As <see cref="GetStatus"/>, without the values that need database reads.</summary>
    internal IReadOnlyList<SubscriptionStatus> Look(string? name = null)
    {
        Subscription[] chosen;
        lock (_gate)
            chosen = name is null ? [.. _open.Values] : [Find(name)];
        return [.. chosen.Select(s => s.GetStatus()).OrderBy(s => s.Name, StringComparer.OrdinalIgnoreCase)];
    }

    /// <summary>Drops all workers and stops.</summary>
    public async ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
        }

        SubscriptionMetrics.Unregister(this);

        // A change that is under way may still open one.
        await _change.WaitAsync().ConfigureAwait(false);
        Subscription[] all;
        lock (_gate)
        {
            all = [.. _open.Values];
            _open.Clear();
        }

        _change.Release();
        await _stop.CancelAsync().ConfigureAwait(false);
        await _watching.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _events.Complete();
        foreach (var subscription in all)
            await subscription.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
    }

    /// <summary>The name of a subscription's consumer in the database: <c>subscription/NAME</c>.</summary>
    public static string ConsumerName(string subscription) => "subscription/" + subscription;

    private void Load(DatabaseSnapshot snapshot)
    {
        foreach (var name in Names(snapshot.GetState(NamesKey)))
        {
            var definition =
                snapshot.GetState(DefinitionKey(name))
                ?? throw new CursorStateException(name, "its definition is missing");
            var checkpoint =
                snapshot.GetState(Subscription.CheckpointKey(name))
                ?? throw new CursorStateException(name, "its position is missing");
            Begin(ReadDefinition(name, definition), SubscriptionCheckpoint.Parse(name, checkpoint));
        }
    }

    private static string DefinitionKey(string name) => "subscriptions/definition/" + name.ToLowerInvariant();

    private static string[] Names(byte[]? state) => state is null ? [] : JsonSerializer.Deserialize<string[]>(state)!;

    private static SubscriptionDefinition ReadDefinition(string name, byte[] state)
    {
        try
        {
            return JsonSerializer.Deserialize<SubscriptionDefinition>(state, Json)!;
        }
        catch (JsonException e)
        {
            throw new CursorStateException(name, "its definition is no definition", e);
        }
    }

    private Subscription Find(string name)
    {
        CheckTerm();
        return _open.TryGetValue(name, out var subscription)
            ? subscription
            : throw new SubscriptionException(
                name,
                SubscriptionProblem.NotFound,
                $"There is no subscription '{name}'{(_open.Count == 0 ? "" : $"; there are: {string.Join(", ", _open.Keys.Order())}")}."
            );
    }

    private void Begin(SubscriptionDefinition definition, SubscriptionCheckpoint checkpoint)
    {
        var subscription = new Subscription(_database, definition, checkpoint, _time, _events, _share);
        lock (_gate)
            _open[definition.Name] = subscription;
        if (!_options.OnlyLooks)
            subscription.Start();
    }
}
