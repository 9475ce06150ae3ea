using Microsoft.Extensions.Logging;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Worker.Hosting;

namespace Pipeline.Worker.CommandLine;

/// <summary>The database that a command works on, held until disposal.</summary>
internal sealed class OpenedDatabase : IAsyncDisposable
{
    private OpenedDatabase(DataSource source, DocumentDatabase database)
    {
        Source = source;
        Database = database;
    }

    /// <summary>Where it came from.</summary>
    public DataSource Source { get; }

    /// <summary>The database.</summary>
    public DocumentDatabase Database { get; }

    /// <summary>Opens a database that must be there.</summary>
    /// <exception cref="WorkerException">There is none.</exception>
    public static OpenedDatabase OpenExisting(DataSource source, ILoggerFactory loggers, TimeProvider time, bool keepsIndexes = false)
    {
        CheckExists(source);
        return OpenOrCreate(source, loggers, time, keepsIndexes);
    }

    /// <summary>Refuses a folder that holds no database, so that a mistyped name makes none.</summary>
    /// <exception cref="WorkerException">There is none.</exception>
    public static void CheckExists(DataSource source)
    {
        if (!Directory.Exists(source.Path) || !Directory.EnumerateFileSystemEntries(source.Path).Any())
            throw new WorkerException(
                $"there is no database in {source.Path}; 'pipeline import', or 'pipeline run' with a configuration, makes one", ExitCodes.Usage);
    }

    /// <summary>Opens a database and makes it where there is none. Its indexes stay as they are, for a worker to keep up, unless the command needs them.</summary>
    public static OpenedDatabase OpenOrCreate(DataSource source, ILoggerFactory loggers, TimeProvider time, bool keepsIndexes = false) => new(source, DocumentDatabase.Open(new DatabaseOptions
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
    }));

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => Database.DisposeAsync();
}
