using Microsoft.Extensions.Logging;
using Pipeline.Database;
using Pipeline.Database.Indexes;

namespace Pipeline.Worker.CommandLine;

/// <summary>The database of a command, held open until disposal.</summary>
internal sealed class OpenedDatabase : IAsyncDisposable
{
    private OpenedDatabase(DataSource source, DocumentDatabase database)
    {
        Source = source;
        Database = database;
    }

    /// <summary>Its source.</summary>
    public DataSource Source { get; }

    /// <summary>The database.</summary>
    public DocumentDatabase Database { get; }

    /// <summary>Opens an existing database.</summary>
    /// <exception cref="WorkerException">There is no database.</exception>
    public static OpenedDatabase OpenExisting(
        DataSource source,
        ILoggerFactory loggers,
        TimeProvider time,
        bool keepsIndexes = false
    )
    {
        CheckExists(source);
        return OpenOrCreate(source, loggers, time, keepsIndexes);
    }

    /// <summary>Refuses a folder without a database, so that a mistyped name does not create one.</summary>
    /// <exception cref="WorkerException">There is no database.</exception>
    public static void CheckExists(DataSource source)
    {
        if (!Directory.Exists(source.Path) || !Directory.EnumerateFileSystemEntries(source.Path).Any())
        {
            throw new WorkerException(
                $"there is no database in {source.Path}; 'pipeline import', or 'pipeline run' with a configuration, makes one",
                ExitCodes.Usage
            );
        }
    }

    /// <summary>
    /// Opens a database and creates it if it does not exist. Its indexes stay unchanged, for a worker to update later,
    /// unless the command needs them.
    /// </summary>
    public static OpenedDatabase OpenOrCreate(
        DataSource source,
        ILoggerFactory loggers,
        TimeProvider time,
        bool keepsIndexes = false
    ) =>
        new(
            source,
            DocumentDatabase.Open(
                new DatabaseOptions
                {
                    Name = source.Name,
                    Path = source.Path,
                    TimeProvider = time,
                    LoggerFactory = loggers,
                    Compress = source.Configuration?.Database.Compress == true,
                    Revisions = source.Configuration?.Database.Revisions?.ToConfiguration(),
                    Expiration = source.Configuration?.Database.Expiration?.ToConfiguration(),
                    Storage = source.Storage,
                    Indexing = new IndexingOptions { Enabled = keepsIndexes },
                }
            )
        );

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => Database.DisposeAsync();
}
