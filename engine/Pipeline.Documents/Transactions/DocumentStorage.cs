using Microsoft.Extensions.Logging;
using Pipeline.Json;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// Stores documents in collections, and gives each change a position. <c>DocumentDatabase</c> adds indexes and queries
/// to it. Thread-safe.
/// </summary>
/// <remarks>
/// A write's task completes when the write is durable. engine/README.md says what snapshots, batches and positions
/// promise. One process at a time has a data folder open.
/// </remarks>
public abstract partial class DocumentStorage
{
    private readonly Func<Guid> _newGuid;
    private int _disposed;
    private volatile DatabaseLineages _lineages = DatabaseLineages.Initial;

    /// <summary>The name, for people and logs.</summary>
    public string Name { get; }

    /// <summary>
    /// Whether documents keep the trace that they were written in: <see cref="DocumentStorageOptions.KeepTraces"/>.
    /// </summary>
    public bool KeepsTraces { get; }

    /// <summary>The unique and permanent id of this database.</summary>
    public DatabaseId Id { get; private set; }

    /// <summary>The storage below.</summary>
    public StorageEnvironment Storage { get; }

    /// <summary>
    /// The lineages: which changes a position stands for. Message ids and targets' records contain them.
    /// </summary>
    public DatabaseLineages Lineages
    {
        get => _lineages;
        private set => _lineages = value;
    }

    /// <summary>The time, by the database's clock.</summary>
    public DateTimeOffset UtcNow => TimeProvider.GetUtcNow();

    internal string IdText { get; private set; } = "";

    internal TimeProvider TimeProvider { get; }

    internal JsonLimits Limits { get; }

    internal int MaxCollections { get; }

    internal ILogger Logger { get; }

    internal DocumentBodies Bodies { get; }

    internal CollectionNames Collections { get; } = new();

    internal long SizeOnDisk
    {
        get
        {
            var figures = Storage.GetStatistics();
            return figures.DataFileBytes + figures.UnflushedJournalBytes;
        }
    }

    /// <summary>Opens a snapshot of the latest commit.</summary>
    /// <param name="owner">The reader's name in statistics; the calling member's name by default.</param>
    /// <returns>The snapshot, to be disposed of.</returns>
    public DatabaseSnapshot OpenSnapshot([System.Runtime.CompilerServices.CallerMemberName] string owner = "")
    {
        CheckOpen();
        return new DatabaseSnapshot(this, Storage.BeginRead(owner));
    }

    internal Guid NewGuid() => _newGuid();

    internal void CheckOpen() => ObjectDisposedException.ThrowIf(_disposed != 0, this);
}
