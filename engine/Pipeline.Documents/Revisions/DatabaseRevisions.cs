using System.Text;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// Which versions of the documents a database keeps, and their removal in the background. Thread-safe.
/// </summary>
/// <remarks>
/// The transaction that replaces a version also keeps it and removes surplus ones. A walk over the ids of versions
/// every 10 minutes, in snapshots and transactions of bounded size, finds the versions that only time or a released
/// hold makes removable.
/// </remarks>
public sealed class DatabaseRevisions : IAsyncDisposable
{
    private const int IdsAtOnce = 4_096;
    private const int RemovedAtOnce = 1_024;
    private static readonly TimeSpan Interval = TimeSpan.FromMinutes(10);
    private readonly DocumentStorage _database;
    private readonly ILogger _logger;
    private readonly RememberedConfiguration<RevisionConfiguration> _remembered;
    private readonly CancellationTokenSource _stop = new();
    private readonly SemaphoreSlim _trimming = new(1);
    private volatile RevisionConfiguration _configuration = RevisionConfiguration.None;
    private Task _upkeep = Task.CompletedTask;

    internal DatabaseRevisions(DocumentStorage database, ILoggerFactory? loggers) =>
        (_database, _logger, _remembered) = (
            database,
            loggers?.CreateLogger("Pipeline.Database.Revisions") ?? NullLogger.Instance,
            new(database, "revisions")
        );

    /// <summary>Which versions are kept.</summary>
    public RevisionConfiguration Configuration => _configuration;

    /// <summary>
    /// Changes which versions are kept, from the next write on; the database stores the setting. Existing surplus
    /// versions are removed in the background.
    /// </summary>
    /// <param name="configuration">Which versions to keep.</param>
    /// <param name="ct">Stops waiting; the change may still be made.</param>
    /// <exception cref="ArgumentException">It cannot be used.</exception>
    public async Task ConfigureAsync(RevisionConfiguration configuration, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        configuration.Validate();
        await _database.ReadyToWriteAsync(ct).ConfigureAwait(false);
        await _remembered.SaveAsync(configuration, ct).ConfigureAwait(false);
        // In a replica another node's may have come after it.
        if (_database.IsReplica)
            _database.Refresh();
        else
            _configuration = configuration;
    }

    /// <summary>Removes all surplus versions now.</summary>
    /// <param name="ct">Stops between two transactions.</param>
    /// <returns>How many versions were removed, once durable.</returns>
    public async Task<long> TrimAsync(CancellationToken ct = default)
    {
        await _trimming.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_stop.IsCancellationRequested, _database);
            long removed = 0;
            byte[]? after = [];
            while (after is not null)
            {
                (var ids, after) = FindRemovable(after);
                foreach (var some in ids.Chunk(64))
                    removed += await TrimAsync(some, ct).ConfigureAwait(false);
                ct.ThrowIfCancellationRequested();
            }

            return removed;
        }
        finally
        {
            _trimming.Release();
        }
    }

    async ValueTask IAsyncDisposable.DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _upkeep.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _trimming.WaitAsync().ConfigureAwait(false);
        _stop.Dispose();
        _trimming.Release();
    }

    /// <summary>Uses the given configuration, or the stored one.</summary>
    internal void Load(RevisionConfiguration? given)
    {
        given?.Validate();
        _configuration = _remembered.Load(given, given is { IsOn: true }) ?? RevisionConfiguration.None;
    }

    /// <summary>Stores the configuration of a new database.</summary>
    internal void Found(WriteTransaction transaction, RevisionConfiguration? given)
    {
        if (given is { IsOn: true })
            _remembered.Save(transaction, given);
    }

    /// <summary>Uses the stored configuration of an accepted state.</summary>
    internal void Refresh(Transaction accepted)
    {
        if (_remembered.TryRefresh(accepted, out var stored))
            _configuration = stored!;
    }

    internal void Start() => _upkeep = Task.Run(UpkeepAsync);

    internal RevisionWriter? Begin(WriteTransaction transaction, long ticks) =>
        _configuration is { IsOn: true } on ? new RevisionWriter(_database, transaction, on, ticks) : null;

    private async Task UpkeepAsync()
    {
        var ct = _stop.Token;
        while (true)
        {
            await Task.Delay(Interval, _database.TimeProvider, ct).ConfigureAwait(false);
            if (!_configuration.IsOn || !_database.Leads)
                continue;
            try
            {
                var removed = await TrimAsync(ct).ConfigureAwait(false);
                if (removed > 0)
                    RevisionLog.Removed(_logger, _database.Name, removed);
            }
            catch (Exception e)
                when (!ct.IsCancellationRequested
                    && e is StorageException or DatabaseCorruptException or InvalidOperationException
                )
            {
                RevisionLog.Failed(_logger, _database.Name, Interval, e);
            }
        }
    }

    /// <summary>
    /// Examines the next ids that have versions. Returns those whose oldest version can be removed, and the key after
    /// which to continue.
    /// </summary>
    private (List<(byte[] IdKey, int Collection, bool IsDeleted)> Ids, byte[]? After) FindRemovable(byte[] after)
    {
        var found = new List<(byte[], int, bool)>();
        using var transaction = _database.Storage.BeginRead("revisions");
        if (
            !transaction.TryOpenTree(DatabaseTrees.RevisionIds, out var revisions)
            || !transaction.TryOpenTree(DatabaseTrees.Ids, out var ids)
        )
        {
            return (found, null);
        }

        var now = _database.TimeProvider.GetUtcNow().UtcTicks;
        var configuration = _configuration;
        using var cursor = revisions.OpenCursor();
        var any = cursor.Seek(after);
        for (var looked = 0; any; looked++)
        {
            var key = cursor.Key.ToArray();
            if (looked == IdsAtOnce)
                return (found, key);
            var idKey = RevisionKeys.IdKey(key).ToArray();
            var oldest = RevisionEntry.Read(cursor.Value, _database.Name);
            DocumentKeys.WritePosition(key.AsSpan(idKey.Length + 1), long.MaxValue);
            cursor.SeekBefore(key);
            var newest = RevisionEntry.Read(cursor.Value, _database.Name).Ordinal;
            any = cursor.MoveNext();
            if (!ids.TryGet(idKey, out var value))
            {
                throw new DatabaseCorruptException(
                    _database.Name,
                    $"'{Encoding.UTF8.GetString(idKey)}' has versions but is neither a document nor a tombstone"
                );
            }

            var entry = new IdEntry(value, _database.Name);
            var policy = configuration.Find(
                CollectionNames.Name(entry.CollectionId, transaction, _database.Collections, _database.Name)
            );
            if (policy is null)
                continue;
            var isPurged = policy.Purges && entry.IsDeleted;
            if (isPurged || RevisionWriter.IsOver(policy, newest - oldest.Ordinal + 2, oldest, now))
                found.Add((idKey, entry.CollectionId, entry.IsDeleted));
        }

        return (found, null);
    }

    private async Task<long> TrimAsync((byte[] IdKey, int Collection, bool IsDeleted)[] ids, CancellationToken ct)
    {
        long removed = 0;
        var done = 0;
        while (done < ids.Length)
        {
            var from = done;
            (var some, done) = await _database
                .WriteAsync(transaction => transaction.TrimRevisions(ids, from, RemovedAtOnce), ct)
                .ConfigureAwait(false);
            removed += some;
        }

        return removed;
    }
}

public abstract partial class DocumentStorage
{
    /// <summary>Which versions of the documents are kept.</summary>
    public DatabaseRevisions Revisions { get; }
}
