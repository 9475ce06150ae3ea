using System.Globalization;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Scripting.Indexes;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>
/// One version of an index: its store, what maps documents to it, and how far it has come. Batches run one at a time;
/// the rest is thread-safe.
/// </summary>
internal sealed class IndexInstance : IDisposable
{
    private const int KeptBatches = 64;
    private const long MaxUncommitted = 10_000;
    private readonly Lock _lock = new();
    private readonly Queue<IndexBatchStatistics> _batches = new();
    private readonly StorageEnvironment _environment;
    private readonly DocumentStorageOptions _options;
    private IIndexMapper? _mapper;
    private UpkeepState _state;
    private (long Position, byte[] After)? _resume;
    private long _position;
    private long _committed;
    private int _leases;
    private bool _retired;
    private bool _deletes;

    public IndexInstance(
        DocumentStorage database,
        DocumentStorageOptions options,
        IndexingOptions indexing,
        IndexDefinition definition,
        string folder,
        IIndexMapper? mapper,
        string? place = null
    )
    {
        Place = place ?? folder;
        Database = database;
        _options = options;
        Options = indexing;
        Definition = definition;
        Folder = folder;
        _mapper = mapper;
        _environment = StorageEnvironment.Open(
            options.Storage with
            {
                Path = IndexFolder.Path(options, Place),
                Files = options.Files,
                JournalPath = null,
                // Each node keeps its own indexes up.
                IsReplica = false,
                TimeProvider = options.TimeProvider,
                LoggerFactory = options.LoggerFactory,
            }
        );
        try
        {
            Store = IndexStore.Open(_environment, new IndexOptions { MaxBatchBytes = Options.MaxBatchBytes });
            using (var transaction = _environment.BeginRead())
            {
                _state =
                    UpkeepState.Read(transaction)
                    ?? new UpkeepState
                    {
                        Hash = definition.Hash,
                        LoadsThrough = database.LastPosition,
                        Lineage = database.Lineages.Current.Id,
                    };
            }

            using var reader = Store.OpenReader();
            _position = _committed = reader.Progress;
        }
        catch
        {
            _environment.Dispose();
            throw;
        }

        Marker = RunMarker.Open(
            options.Path is null || options.Files is not null
                ? null
                : Path.Combine(IndexFolder.Path(options, Place)!, "running"),
            e =>
                IndexLog.NotMarked(
                    options.LoggerFactory?.CreateLogger<IndexInstance>() ?? (ILogger)NullLogger.Instance,
                    database.Name,
                    definition.Name,
                    e
                )
        );
        IndexFields = new IndexFields(definition, Store);
        Recorder = new EntryRecorder(IndexFields);
    }

    public DocumentStorage Database { get; }

    public IndexingOptions Options { get; }

    public TimeProvider Time => _options.TimeProvider;

    /// <summary>The definition; another one may take its place if it makes the same entries.</summary>
    public IndexDefinition Definition
    {
        get;
        set
        {
            field = value;
            DefinitionVersion = long.Parse(
                value.AnswerHash.AsSpan(0, 15),
                NumberStyles.HexNumber,
                CultureInfo.InvariantCulture
            );
        }
    }

    /// <summary>Differs for definitions whose answers may differ.</summary>
    public long DefinitionVersion { get; private set; }

    /// <summary>The folder of the definition, the same at all nodes.</summary>
    public string Folder { get; }

    /// <summary>Where the files are: the folder, or the other one of <see cref="IndexFolder.Other"/>.</summary>
    public string Place { get; }

    /// <summary>The store, for a copy of the node. It stays open as long as <see cref="TryAcquire"/> says.</summary>
    public StorageEnvironment Environment => _environment;

    public IndexStore Store { get; }

    /// <summary>Tells the next process whether this one ended within a batch.</summary>
    public RunMarker Marker { get; }

    /// <summary>Why the index is not updated although it is not disabled; null if it is updated.</summary>
    public string? Blocked =>
        !Marker.IsBlocked
            ? null
            : $"The process ended {Marker.Ends} times in a row while this index was being built, as after a stack overflow. Correct its definition, or enable the index to try again.";

    public IndexFields IndexFields { get; }

    public EntryRecorder Recorder { get; }

    public SnapshotDocuments Documents { get; } = new();

    /// <summary>The maps; compiled at the first use.</summary>
    /// <exception cref="InvalidIndexException">The definition does not compile.</exception>
    public IIndexMapper Mapper =>
        _mapper ??= Definition.Auto is { } automatic ? AutoMapper.Of(automatic) : ScriptMapper.Compile(Definition);

    /// <summary>What is known of it; the definition is compiled only where nothing was committed yet.</summary>
    public IndexOutline Outline => field ??= _state.Outline ?? Mapper.Outline;

    public IIndexMapRun Run => field ??= Mapper.NewRun(Documents);

    /// <summary>The changes that matter.</summary>
    public ChangeFilter Filter =>
        field ??= Outline.Collections is { } collections
            ? ChangeFilter.Of(collections.Concat(Outline.LoadedCollections), includeDeletes: true)
            : ChangeFilter.AllWithDeletes;

    /// <summary>The collections of loaded documents; null if the index loads none.</summary>
    public HashSet<string>? LoadedCollections =>
        Outline.LoadedCollections.Count == 0
            ? null
            : field ??= new HashSet<string>(Outline.LoadedCollections, StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// Whether it was built from another definition, or from changes that this database does not have: it was restored
    /// or copied since.
    /// </summary>
    public bool IsForeign =>
        _state.Hash != Definition.Hash
        || (Database.IsReplica ? HasMissedDeletes() : Position > Database.LastPosition)
        || (_state.Lineage is { } lineage && !Database.Lineages.Contains(lineage, Position));

    /// <summary>
    /// Whether tombstones were purged that it had not read. A replica may purge them while this node's index is behind.
    /// It may also have lost transactions that the index has, which the log brings back unchanged.
    /// </summary>
    private bool HasMissedDeletes()
    {
        using var snapshot = Database.OpenSnapshot("index purge");
        return HasMissedDeletes(snapshot);
    }

    private bool HasMissedDeletes(DatabaseSnapshot snapshot) =>
        Position > 0 && Position < snapshot.LastPosition && Position < snapshot.PurgedThrough;

    /// <summary>Every change up to here is in the index.</summary>
    public long Position => Volatile.Read(ref _position);

    public UpkeepState State
    {
        get
        {
            lock (_lock)
                return _state;
        }
    }

    /// <summary>Why it is in error.</summary>
    public string? Failure => State.Failure;

    /// <summary>
    /// Why it is in error, for the log: without the last script's message, which may be text of a document.
    /// </summary>
    public static string WithoutMessage(string failure) =>
        failure.IndexOf(LastError, StringComparison.Ordinal) is > 0 and var at
            ? failure[..at] + "; 'pipeline index errors' has them"
            : failure;

    private const string LastError = "; the last: ";

    public bool Maps(string collection) =>
        Outline.Collections is not { } collections
        || collections.Contains(collection, StringComparer.OrdinalIgnoreCase);

    public IReadOnlyList<IndexBatchStatistics> Batches
    {
        get
        {
            lock (_lock)
                return [.. _batches];
        }
    }

    public IReadOnlyList<IndexError> ReadErrors()
    {
        using var transaction = _environment.BeginRead();
        return IndexErrorLog.Read(transaction);
    }

    /// <summary>Deletes the kept errors; the error count stays.</summary>
    public Task ClearErrorsAsync() => _environment.WriteAsync(IndexErrorLog.Clear);

    /// <summary>Does one batch.</summary>
    /// <returns>Whether there was more to do when it began to commit.</returns>
    public async Task<bool> RunBatchAsync(CancellationToken ct)
    {
        var started = Time.GetUtcNow();
        using var snapshot = Database.OpenSnapshot($"index {Definition.Name}");
        if (snapshot.LastPosition <= Position)
            return false;
        if (Database.IsReplica && HasMissedDeletes(snapshot))
            throw new MissedDeletesException(Definition.Name, Position, snapshot.PurgedThrough);

        using var stored = _environment.BeginRead($"index {Definition.Name}");
        using var batch = new IndexBatchRun(this, snapshot, stored, State.LoadsThrough, ct);
        await batch.MapAsync(Position, _resume).ConfigureAwait(false);
        batch.Reduce();
        if (batch.HasEffect || batch.Through - _committed > MaxUncommitted)
            await CommitAsync(batch, ct).ConfigureAwait(false);
        _resume = batch.Resume;
        Volatile.Write(ref _position, batch.Through);
        var statistics = batch.Counters.ToStatistics(started, batch.Through);
        lock (_lock)
        {
            if (batch.HasEffect)
                _batches.Enqueue(statistics);
            while (_batches.Count > KeptBatches)
                _batches.Dequeue();
        }

        IndexMetrics.Batch(Database.Name, Definition.Name, statistics);
        return batch.HasMore;
    }

    /// <summary>Records that the index cannot continue.</summary>
    public async Task FailAsync(string reason)
    {
        UpkeepState failed;
        lock (_lock)
            _state = failed = _state with { Failure = reason };
        await _environment.WriteAsync(failed.Write).ConfigureAwait(false);
    }

    /// <summary>Keeps the store open until <see cref="Release"/>; not after it was retired.</summary>
    public bool TryAcquire()
    {
        lock (_lock)
        {
            if (_retired)
                return false;
            _leases++;
            return true;
        }
    }

    public void Release()
    {
        bool last;
        lock (_lock)
            last = --_leases == 0 && _retired;
        if (last)
            Close();
    }

    /// <summary>Closes the index when its last user has left, and deletes it if requested.</summary>
    public void Retire(bool delete)
    {
        bool last;
        lock (_lock)
        {
            if (_retired)
                return;
            _retired = true;
            _deletes = delete;
            last = _leases == 0;
        }

        if (last)
            Close();
    }

    public void Dispose() => Retire(delete: false);

    private async Task CommitAsync(IndexBatchRun batch, CancellationToken ct)
    {
        var counters = batch.Counters;
        counters.Commit.Start();
        var before = State;
        var after = before with
        {
            Mapped = before.Mapped + counters.Documents,
            Failed = before.Failed + counters.Errors.Count,
            NextError = before.NextError + counters.Errors.Count,
            LastIndexed = Time.GetUtcNow(),
            Outline = Outline,
            Lineage = Database.Lineages.Current.Id,
        };
        if (after.Mapped >= Options.MinErrorSample && after.Failed > after.Mapped * Options.MaxErrorShare)
        {
            after = after with
            {
                Failure = string.Create(
                    CultureInfo.InvariantCulture,
                    $"{after.Failed} of {after.Mapped} documents failed, over MaxErrorShare = {Options.MaxErrorShare}{LastError}{counters.Errors.LastOrDefault()?.Message}"
                ),
            };
        }

        await Store
            .CommitAsync(
                [batch.Batch],
                batch.Through,
                transaction =>
                {
                    batch.Apply(transaction);
                    IndexErrorLog.Append(transaction, before.NextError, counters.Errors, Options.MaxErrors);
                    after.Write(transaction);
                },
                ct
            )
            .ConfigureAwait(false);
        lock (_lock)
            _state = after;
        if (batch.Through > _committed)
            Marker.Pass(batch.Through);
        _committed = batch.Through;
        counters.Commit.Stop();
    }

    private void Close()
    {
        Marker.Dispose();
        Store.Dispose();
        _environment.Dispose();
        if (_deletes)
            IndexFolder.TryDelete(_options, Place);
    }
}
