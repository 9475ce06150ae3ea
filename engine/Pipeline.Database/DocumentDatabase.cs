using Pipeline.Documents;
using Pipeline.Storage;

namespace Pipeline.Database;

/// <summary>
/// Stores documents in collections, gives each change a position, and answers queries from indexes. Thread-safe.
/// </summary>
/// <remarks>
/// A write's task completes when the write is durable. engine/README.md says what snapshots, batches and positions
/// promise. One process at a time has a data folder open.
/// </remarks>
public sealed partial class DocumentDatabase : DocumentStorage
{
    private readonly Queries.QueryRunner _queries;

    private DocumentDatabase(DatabaseOptions options)
        : base(options)
    {
        Indexes = new Indexes.DatabaseIndexes(this, options, options.Indexing);
        _queries = new Queries.QueryRunner(
            this,
            Indexes,
            options.QueryWait > TimeSpan.Zero ? new Queries.Catalog.IndexWait(options.QueryWait) : null
        );
    }

    /// <summary>The indexes of the documents.</summary>
    public Indexes.DatabaseIndexes Indexes { get; }

    /// <summary>Opens a database and creates it if it does not exist.</summary>
    /// <param name="options">Where it lies, and limits.</param>
    /// <returns>The open database.</returns>
    /// <exception cref="StorageException">
    /// The folder is in use, of a newer format, damaged, or cannot be read.
    /// </exception>
    public static DocumentDatabase Open(DatabaseOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        var database = new DocumentDatabase(options);
        try
        {
            database.Load();
            database.Indexes.Load();
            database.Start();
            return database;
        }
        catch
        {
            database.Storage.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    internal override IReadOnlyList<(string Name, long Position)> GetIndexPositions() =>
        [.. Indexes.List().Select(i => (i.Name, Math.Min(i.Position, i.ReplacementPosition ?? long.MaxValue)))];

    /// <inheritdoc/>
    internal override void RefreshIndexes(DatabaseSnapshot accepted) => Indexes.Refresh(accepted);

    /// <inheritdoc/>
    internal override Task PrepareIndexesAsync() => Indexes.ReconcileAsync();

    /// <inheritdoc/>
    internal override void TakeOverIndexes(CancellationToken ended) => Indexes.TakeOver(ended);

    /// <inheritdoc/>
    internal override ValueTask CloseIndexesAsync() => ((IAsyncDisposable)Indexes).DisposeAsync();
}
