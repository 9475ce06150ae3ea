using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Pipeline.Etl.Connectors.Files;

/// <summary>A folder of JSON lines files. Tasks that name one connection may write to one file; their lines then alternate batch by batch.</summary>
internal sealed class FilesConnector : IConnector
{
    private readonly ConcurrentDictionary<string, LineFile> _files = new(StringComparer.OrdinalIgnoreCase);
    private readonly ILogger _logger;

    public FilesConnector(FilesOptions options, ConnectorContext context)
    {
        Options = options;
        Connection = context.Connection;
        Folder = Path.GetFullPath(options.Directory, context.BaseDirectory);
        _logger = context.Loggers.CreateLogger("Pipeline.Etl.Files");
    }

    public FilesOptions Options { get; }

    public string Connection { get; }

    public string Folder { get; }

    /// <summary>Where the files are; a test may give others.</summary>
    internal IAppendFiles Files { get; init; } = RealAppendFiles.Instance;

    public IMessageSink CreateSink(SinkContext context) => new FilesSink(this, context);

    /// <inheritdoc/>
    public ValueTask CheckHealthAsync(CancellationToken cancellationToken)
    {
        EnsureFolder();
        return ValueTask.CompletedTask;
    }

    /// <summary>The folder is there when this returns.</summary>
    public void EnsureFolder()
    {
        try
        {
            if (Options.Create) Files.CreateFolder(Folder);
            else if (!Directory.Exists(Folder)) throw new ConnectorException(Connection, $"The folder '{Folder}' does not exist and 'create' is false.", isTransient: false);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new ConnectorException(Connection, $"The folder '{Folder}' cannot be made: {e.Message}", e is IOException, e);
        }
    }

    public string PathOf(string destination) => Path.Combine(Folder, destination + ".jsonl");

    /// <summary>The destination's file, open for appending, shared by the connection's sinks.</summary>
    public LineFile Open(string destination) => _files.GetOrAdd(destination, d => new LineFile(PathOf(d), Connection, _logger, Files));

    public async ValueTask DisposeAsync()
    {
        foreach (LineFile file in _files.Values) await file.DisposeAsync().ConfigureAwait(false);
        _files.Clear();
    }
}
