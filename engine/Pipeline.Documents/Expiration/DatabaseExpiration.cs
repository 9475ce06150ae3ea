using System.Buffers.Binary;
using System.Globalization;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Json;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// Acts on times in the metadata of documents, if configured: <c>@expires</c> deletes the document, <c>@refresh</c>
/// stores it again without that property. Thread-safe.
/// </summary>
/// <remarks>
/// Times are ISO 8601, and UTC without an offset. A reader of the change feed finds them and notes them in a tree by
/// time. Writes therefore cost nothing; a look costs the changes since the last one and the documents that are due. A
/// note names a version of a document: a later version has a separate time or none. Deletions are like any other: they
/// are in the feed, and they keep a version if the collection keeps versions.
/// </remarks>
public sealed class DatabaseExpiration : IAsyncDisposable
{
    private const int DoneAtOnce = 512;
    private const long PositionsUnnoted = 100_000;
    private readonly DocumentStorage _database;
    private readonly ILogger _logger;
    private readonly RememberedConfiguration<ExpirationConfiguration> _remembered;
    private readonly CancellationTokenSource _stop = new();
    private readonly SemaphoreSlim _running = new(1);
    private volatile ExpirationConfiguration _configuration = ExpirationConfiguration.None;
    private volatile TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _readThrough;
    private Task _upkeep = Task.CompletedTask;

    internal DatabaseExpiration(DocumentStorage database, ILoggerFactory? loggers) =>
        (_database, _logger, _remembered) = (
            database,
            loggers?.CreateLogger("Pipeline.Database.Expiration") ?? NullLogger.Instance,
            new(database, "expiration")
        );

    /// <summary>The actions, and how often they run.</summary>
    public ExpirationConfiguration Configuration => _configuration;

    /// <summary>
    /// Under this key the tree has the position up to which the feed was read; keys of documents are longer.
    /// </summary>
    internal static ReadOnlySpan<byte> ReadThroughKey => [0];

    /// <summary>Changes the configuration from now on; the database stores it.</summary>
    /// <param name="configuration">The configuration.</param>
    /// <param name="ct">Stops waiting; the change may still be made.</param>
    /// <exception cref="ArgumentException">It cannot be used.</exception>
    public async Task ConfigureAsync(ExpirationConfiguration configuration, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        configuration.Validate();
        await _database.ReadyToWriteAsync(ct).ConfigureAwait(false);
        await _remembered.SaveAsync(configuration, ct).ConfigureAwait(false);
        // In a replica another node's may have come after it.
        if (_database.IsReplica)
            _database.Refresh();
        else
            Use(configuration);
    }

    /// <summary>Performs all configured actions that are due now.</summary>
    /// <param name="ct">Stops between two transactions.</param>
    /// <returns>The numbers of deleted and refreshed documents, once durable.</returns>
    public Task<(long Deleted, long Refreshed)> RunAsync(CancellationToken ct = default) =>
        RunAsync(_configuration.DeleteEvery is not null, _configuration.RefreshEvery is not null, ct);

    async ValueTask IAsyncDisposable.DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _upkeep.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _running.WaitAsync().ConfigureAwait(false);
        _stop.Dispose();
        _running.Release();
    }

    /// <summary>Uses the given configuration, or the stored one.</summary>
    internal void Load(ExpirationConfiguration? given)
    {
        given?.Validate();
        _configuration = _remembered.Load(given, given is { IsOn: true }) ?? ExpirationConfiguration.None;
        LoadReadThrough();
    }

    /// <summary>Another leader may have come further than this one had.</summary>
    private void LoadReadThrough()
    {
        using var transaction = _database.Storage.BeginRead("expiration");
        if (
            transaction.TryOpenTree(DatabaseTrees.DueDocuments, out var tree)
            && tree.TryGet(ReadThroughKey, out var position)
        )
        {
            _readThrough = Math.Max(_readThrough, BinaryPrimitives.ReadInt64LittleEndian(position));
        }
    }

    /// <summary>Stores the configuration of a new database.</summary>
    internal void Found(WriteTransaction transaction, ExpirationConfiguration? given)
    {
        if (given is { IsOn: true })
            _remembered.Save(transaction, given);
    }

    /// <summary>Uses the stored configuration of an accepted state.</summary>
    internal void Refresh(Transaction accepted)
    {
        if (_remembered.TryRefresh(accepted, out var stored))
            Use(stored!);
    }

    private void Use(ExpirationConfiguration configuration)
    {
        _configuration = configuration;
        Interlocked
            .Exchange(ref _changed, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously))
            .TrySetResult();
    }

    internal void Start() => _upkeep = Task.Run(UpkeepAsync);

    private async Task UpkeepAsync()
    {
        var ct = _stop.Token;
        DateTimeOffset deleted = _database.UtcNow,
            refreshed = deleted;
        while (true)
        {
            // Taken before the configuration is read, so that no change of it is missed.
            var changed = _changed.Task;
            var configuration = _configuration;
            var now = _database.UtcNow;
            DateTimeOffset nextDelete = deleted + configuration.DeleteEvery ?? DateTimeOffset.MaxValue,
                nextRefresh = refreshed + configuration.RefreshEvery ?? DateTimeOffset.MaxValue;
            var next = nextDelete < nextRefresh ? nextDelete : nextRefresh;
            if (next > now)
            {
                using var waiting = CancellationTokenSource.CreateLinkedTokenSource(ct);
                var delay = configuration.IsOn
                    ? Task.Delay(next - now, _database.TimeProvider, waiting.Token)
                    : Task.Delay(Timeout.InfiniteTimeSpan, waiting.Token);
                await Task.WhenAny(changed, delay).ConfigureAwait(false);
                await waiting.CancelAsync().ConfigureAwait(false);
                ct.ThrowIfCancellationRequested();
                continue;
            }

            bool deletes = nextDelete <= now,
                refreshes = nextRefresh <= now;
            if (deletes)
                deleted = now;
            if (refreshes)
                refreshed = now;
            if (!_database.Leads)
                continue;
            try
            {
                (var some, var others) = await RunAsync(deletes, refreshes, ct).ConfigureAwait(false);
                if (some + others > 0)
                    ExpirationLog.Done(_logger, _database.Name, some, others);
            }
            catch (Exception e)
                when (!ct.IsCancellationRequested
                    && e is StorageException or DatabaseCorruptException or InvalidOperationException
                )
            {
                ExpirationLog.Failed(
                    _logger,
                    _database.Name,
                    (deletes ? configuration.DeleteEvery : configuration.RefreshEvery) ?? TimeSpan.Zero,
                    e
                );
            }
        }
    }

    private async Task<(long Deleted, long Refreshed)> RunAsync(bool deletes, bool refreshes, CancellationToken ct)
    {
        await _running.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_stop.IsCancellationRequested, _database);
            if (_database.IsReplica)
                LoadReadThrough();
            await NoteAsync(ct).ConfigureAwait(false);
            var now = _database.UtcNow.UtcTicks;
            var deleted = deletes ? await DoAsync(DueKind.Expires, now, ct).ConfigureAwait(false) : 0;
            return (deleted, refreshes ? await DoAsync(DueKind.Refresh, now, ct).ConfigureAwait(false) : 0);
        }
        finally
        {
            _running.Release();
        }
    }

    /// <summary>Reads the changes since the last look and notes their times.</summary>
    private async Task NoteAsync(CancellationToken ct)
    {
        var noted = _readThrough;
        var more = true;
        while (more)
        {
            ct.ThrowIfCancellationRequested();
            (var found, var through, more) = ReadDue();
            if (found.Count > 0 || through - noted >= PositionsUnnoted)
            {
                await _database
                    .WriteAsync(transaction => transaction.NoteDue(found, through), ct)
                    .ConfigureAwait(false);
                noted = through;
            }

            _readThrough = through;
        }
    }

    private (List<DueDocument> Found, long Through, bool HasMore) ReadDue()
    {
        var found = new List<DueDocument>();
        using var snapshot = _database.OpenSnapshot("expiration");
        using var batch = snapshot.ReadChanges(_readThrough, ChangeFilter.All);
        foreach (var change in batch)
        {
            var metadata = change.Metadata;
            if (metadata.Kind != JsonKind.Object)
                continue;
            Note(change, metadata, "@expires"u8, DueKind.Expires, found);
            Note(change, metadata, "@refresh"u8, DueKind.Refresh, found);
        }

        return (found, batch.Through, batch.HasMore);
    }

    private void Note(
        in Change change,
        BinaryValue metadata,
        ReadOnlySpan<byte> property,
        DueKind kind,
        List<DueDocument> found
    )
    {
        if (!metadata.TryGetProperty(property, out var value) || value.Kind == JsonKind.Null)
            return;
        if (
            value.Kind == JsonKind.String
            && DateTimeOffset.TryParse(
                value.GetString(),
                CultureInfo.InvariantCulture,
                DateTimeStyles.AssumeUniversal,
                out var time
            )
        )
        {
            found.Add(new DueDocument(kind, time.UtcTicks, change.Position, change.Id));
        }
        else
        {
            ExpirationLog.NoTime(_logger, _database.Name, change.Id, System.Text.Encoding.UTF8.GetString(property));
        }
    }

    private async Task<long> DoAsync(DueKind kind, long now, CancellationToken ct)
    {
        long done = 0;
        while (true)
        {
            ct.ThrowIfCancellationRequested();
            var some = FindDue(kind, now);
            if (some.Count == 0)
                return done;
            done += await _database.WriteAsync(transaction => transaction.DoDue(some), ct).ConfigureAwait(false);
        }
    }

    private List<DueDocument> FindDue(DueKind kind, long now)
    {
        var found = new List<DueDocument>();
        using var transaction = _database.Storage.BeginRead("expiration");
        if (!transaction.TryOpenTree(DatabaseTrees.DueDocuments, out var tree))
            return found;
        Span<byte> first = stackalloc byte[9];
        DueDocument.WritePrefix(first, kind, 0);
        using var cursor = tree.OpenCursor();
        for (var any = cursor.Seek(first); any && found.Count < DoneAtOnce; any = cursor.MoveNext())
        {
            var due = DueDocument.Read(cursor.Key, cursor.Value);
            if (due.Kind != kind || due.Ticks > now)
                break;
            found.Add(due);
        }

        return found;
    }
}

public abstract partial class DocumentStorage
{
    /// <summary>Deletion and refresh of documents at a given time.</summary>
    public DatabaseExpiration Expiration { get; }
}
