using System.IO.Pipelines;
using Pipeline.Cluster.Tests.Driver;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Documents;
using Pipeline.Documents.Maintenance;
using Pipeline.Documents.Transfer;
using Pipeline.Storage;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Logging;

namespace Pipeline.Cluster.Tests.Database;

/// <summary>A node with a document database, its indexes and, while it leads, its subscriptions.</summary>
internal sealed class DatabaseMember : IAsyncDisposable
{
    private AwayLog _log;
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-node-").FullName;
    private readonly StaleCache _fault;
    private readonly CapturedLines _lines = new();
    private CancellationTokenSource _services = new();
    private Task _serving = Task.CompletedTask;
    private PositionFile _position = null!;
    private bool _isClosed;

    public DatabaseMember(string name, ISharedLog log, StaleCache fault)
    {
        (Name, _log, _fault) = (name, new AwayLog(log), fault);
        Open();
    }

    public string Name { get; }

    public DocumentDatabase Database { get; private set; } = null!;

    public NodeDriver Driver { get; private set; } = null!;

    /// <summary>The subscriptions, while this node leads.</summary>
    public SubscriptionHost? Subscriptions { get; private set; }

    /// <summary>Whether the log does not answer this node.</summary>
    public bool IsAway
    {
        set => _log.IsAway = value;
    }

    /// <summary>What it has logged.</summary>
    public IEnumerable<string> Lines => _lines.Lines;

    /// <summary>Where it stands, for an error.</summary>
    public string State =>
        $"{Name} {Driver.Status}, leads {Database.Leads}, {Database.Storage.Role} at {Database.Storage.LastCommittedTransaction}, following {Database.Indexes.WhenFollowedAsync().Status}, {string.Join(", ", _lines.Lines.TakeLast(5))}";

    public DatabaseOptions Options =>
        new()
        {
            Name = Name,
            Path = _folder,
            Compress = Zstd.IsAvailable,
            TombstonePurgeInterval = TimeSpan.Zero,
            Indexing = new IndexingOptions { MaxConcurrentBatches = 1 },
            LoggerFactory = _lines,
            Storage = new StorageOptions { IsReplica = true, Encryption = Key() },
        };

    /// <summary>Each node has a different key, and the first one has none.</summary>
    private StorageEncryption? Key() =>
        Name == "n1" ? null : new StorageEncryption { Key = Enumerable.Repeat((byte)Name[^1], 32).ToArray() };

    /// <summary>Ends the process of the node and starts another one on its files.</summary>
    public async Task RestartAsync()
    {
        await CloseAsync();
        Open();
    }

    /// <summary>Stops the node for good, or until <see cref="OpenOn"/>.</summary>
    public Task StopAsync() => CloseAsync();

    /// <summary>Opens the stopped node on another log.</summary>
    public void OpenOn(ISharedLog log)
    {
        _log = new AwayLog(log);
        Open();
    }

    /// <summary>The store of the stopped node.</summary>
    public StorageOptions Store => Options.Storage with { Path = _folder };

    /// <summary>
    /// The node loses its disk, is filled from a peer, which goes on, and starts again.
    /// </summary>
    /// <returns>Where it goes on in the log.</returns>
    public async Task<ReadPosition> RefillAsync(DatabaseMember peer, CancellationToken ct)
    {
        await CloseAsync();
        Directory.Delete(_folder, recursive: true);
        Directory.CreateDirectory(_folder);
        var position = await FillAsync(peer, ct);
        Open();
        return position;
    }

    /// <summary>
    /// The quarantined node is set aside and filled from a peer; what only it had is exported.
    /// </summary>
    public async Task<(string Lines, DifferenceReport Report)> ExportAndRefillAsync(
        DatabaseMember peer,
        CancellationToken ct
    )
    {
        await CloseAsync();
        var aside = StoreFolder.SetAside(Options.Storage with { Path = _folder });
        try
        {
            await FillAsync(peer, ct);
            Open();
            await using var old = DocumentDatabase.Open(Options with { Path = aside });
            using var here = old.OpenSnapshot();
            using var there = Database.OpenSnapshot();
            using var lines = new MemoryStream();
            var report = await DifferenceExport.ExportAsync(here, there, lines, ct);
            return (System.Text.Encoding.UTF8.GetString(lines.ToArray()), report);
        }
        finally
        {
            Directory.Delete(aside, recursive: true);
        }
    }

    private async Task<ReadPosition> FillAsync(DatabaseMember peer, CancellationToken ct)
    {
        using var leased = peer.Database.Indexes.Lease();
        var source = new CopySource(
            peer.Database.Storage,
            [.. leased.Stores.Select(s => new CopiedStore(s.Folder, s.Store))],
            peer.Driver.FindCopyPointAsync,
            peer.Name
        );
        var pipe = new Pipe();
        await using var output = pipe.Writer.AsStream();
        await using var input = pipe.Reader.AsStream();
        var sending = CopyStream.SendAsync(source, output, ct: ct);
        var position = await CopyStream.ReceiveAsync(input, Options.Storage with { Path = _folder }, ct: ct);
        await sending;
        return position;
    }

    /// <summary>Closes the node and has the database check itself.</summary>
    public async Task<DatabaseCheckReport> CheckAsync()
    {
        await CloseAsync();
        return DatabaseCheck.Run(Options);
    }

    public async ValueTask DisposeAsync()
    {
        await CloseAsync();
        Directory.Delete(_folder, recursive: true);
    }

    private void Open()
    {
        Database = DocumentDatabase.Open(Options);
        Database.PlantedFault = _fault;
        _position = PositionFile.Open(NativeStorageFiles.Instance, _folder);
        Driver = new NodeDriver(
            Database.Storage,
            _position,
            _log,
            new NodeOptions(Name, Guid.NewGuid())
            {
                Seed = Name[^1],
                Lease = TimeSpan.FromMilliseconds(600),
                LeaseWait = TimeSpan.FromMilliseconds(720),
                BeatEvery = TimeSpan.FromMilliseconds(150),
                ElectAfter = TimeSpan.FromMilliseconds(900),
                AppendTimeout = TimeSpan.FromMilliseconds(600),
            },
            new DriverOptions
            {
                Tick = TimeSpan.FromMilliseconds(30),
                ReadWait = TimeSpan.FromMilliseconds(150),
                SaveEvery = TimeSpan.FromMilliseconds(100),
            }
        );
        _isClosed = false;
        _services = new CancellationTokenSource();
        _serving = Database.RunAtLeaderAsync(ServeAsync, _services.Token);
        Driver.Start();
    }

    private async Task CloseAsync()
    {
        if (_isClosed)
            return;
        _isClosed = true;
        await _services.CancelAsync();
        await _serving.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Driver.DisposeAsync();
        _position.Dispose();
        await Database.DisposeAsync();
        _services.Dispose();
    }

    private Task<IAsyncDisposable> ServeAsync(CancellationToken ended)
    {
        ended.ThrowIfCancellationRequested();
        var host = SubscriptionHost.Open(Database);
        Subscriptions = host;
        return Task.FromResult<IAsyncDisposable>(new Service(this, host));
    }

    private sealed class Service(DatabaseMember member, SubscriptionHost host) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync()
        {
            member.Subscriptions = null;
            await host.DisposeAsync();
        }
    }
}
