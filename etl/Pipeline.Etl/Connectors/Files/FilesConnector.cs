using System.Collections.Concurrent;
using System.Globalization;
using Microsoft.Extensions.Logging;

namespace Pipeline.Etl.Connectors.Files;

/// <summary>
/// A folder of JSON lines files. Tasks that name one connection may write to one file; their lines then alternate batch
/// by batch.
/// </summary>
internal sealed class FilesConnector : IConnector
{
    private readonly ConcurrentDictionary<string, LineFile> _files = new(StringComparer.OrdinalIgnoreCase);

    // The probe is one block of common file systems. The limit is what a batch may easily need.
    private const int ProbeBytes = 4096;
    private const long MinFreeBytes = 1 << 20;

    private readonly ILogger _logger;
    private int _probes;

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
    public async ValueTask CheckHealthAsync(CancellationToken cancellationToken)
    {
        EnsureFolder();
        var probe = Path.Combine(
            Folder,
            string.Create(
                CultureInfo.InvariantCulture,
                $".pipeline-probe-{Environment.ProcessId}-{Interlocked.Increment(ref _probes)}"
            )
        );
        try
        {
            // Only a write detects missing rights, a read-only file system or a full disk.
            var file = new FileStream(
                probe,
                FileMode.Create,
                FileAccess.Write,
                FileShare.None,
                bufferSize: 0,
                FileOptions.DeleteOnClose | FileOptions.Asynchronous
            );
            await using (file.ConfigureAwait(false))
                await file.WriteAsync(new byte[ProbeBytes], cancellationToken).ConfigureAwait(false);
            var free = new DriveInfo(Folder).AvailableFreeSpace;
            if (free < MinFreeBytes)
            {
                throw new ConnectorException(
                    Connection,
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"The disk of the folder '{Folder}' is full: {free:N0} bytes are free. Free space there."
                    ),
                    isTransient: true
                );
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new ConnectorException(
                Connection,
                $"Files in the folder '{Folder}' cannot be written: {e.Message}",
                e is IOException,
                e
            );
        }
    }

    /// <summary>Creates the folder if it is missing and may be created.</summary>
    public void EnsureFolder()
    {
        try
        {
            if (Options.Create)
            {
                Files.CreateFolder(Folder);
            }
            else if (!Directory.Exists(Folder))
            {
                throw new ConnectorException(
                    Connection,
                    $"The folder '{Folder}' does not exist and 'create' is false.",
                    isTransient: false
                );
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new ConnectorException(
                Connection,
                $"The folder '{Folder}' cannot be created: {e.Message}",
                e is IOException,
                e
            );
        }
    }

    public string PathOf(string destination) => Path.Combine(Folder, destination + ".jsonl");

    /// <summary>The destination's file, open for appending, shared by the connection's sinks.</summary>
    public LineFile Open(string destination) =>
        _files.GetOrAdd(destination, d => new LineFile(PathOf(d), Connection, _logger, Files));

    public async ValueTask DisposeAsync()
    {
        foreach (var file in _files.Values)
            await file.DisposeAsync().ConfigureAwait(false);
        _files.Clear();
    }
}
