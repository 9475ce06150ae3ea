using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Cluster.Tests.Driver;

/// <summary>Nodes with stores in memory, each run by its own threads, over one log.</summary>
internal sealed class DriverCluster : IAsyncDisposable
{
    private readonly List<DriverMember> _members = [];

    /// <param name="names">The nodes' names.</param>
    /// <param name="log">Gives each node its log.</param>
    /// <param name="byTail">How the nodes learn that a record was accepted.</param>
    /// <param name="options">The drivers' options.</param>
    public DriverCluster(
        IReadOnlyList<string> names,
        Func<string, ISharedLog> log,
        bool byTail = false,
        DriverOptions? options = null
    )
    {
        foreach (var name in names)
            _members.Add(new DriverMember(name, log(name), byTail, driver: options));
        foreach (var member in _members)
            member.Driver.Start();
    }

    public IReadOnlyList<DriverMember> Members => _members;

    /// <summary>Adds a node to those that are compared, and starts it.</summary>
    public void Add(DriverMember member)
    {
        _members.Add(member);
        member.Driver.Start();
    }

    public DriverMember this[string name] => _members.First(m => m.Name == name);

    /// <summary>The node that takes writes, once there is one.</summary>
    public async Task<DriverMember> LeaderAsync(CancellationToken ct)
    {
        while (true)
        {
            ct.ThrowIfCancellationRequested();
            var waits = _members.Select(m => m.Driver.WaitAsync(s => s.TakesWrites, ct)).ToList();
            await Task.WhenAny(waits);
            if (_members.Find(m => m.Driver.Status.TakesWrites) is { } leader)
                return leader;
        }
    }

    /// <summary>Writes at whichever node leads, until one has acknowledged it.</summary>
    /// <returns>How many writes the store then held.</returns>
    public async Task<long> WriteAsync(int number, CancellationToken ct)
    {
        while (true)
        {
            var leader = await LeaderAsync(ct);
            try
            {
                return await leader.Store.WriteAsync(t => Add(t, number), ct);
            }
            catch (Exception e) when (e is NotLeaderException or NotAcceptedException)
            {
                await Task.Yield();
            }
        }
    }

    /// <summary>Numbers a write in the order of the transactions. A repeated write keeps its number.</summary>
    private static long Add(WriteTransaction transaction, int number)
    {
        var tree = transaction.CreateTree("writes");
        Span<byte> key = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(key, number);
        if (tree.TryGet(key, out var known))
            return BinaryPrimitives.ReadInt64BigEndian(known);
        var order = tree.Count + 1;
        BinaryPrimitives.WriteInt64BigEndian(tree.Reserve(key, 8), order);
        return order;
    }

    /// <summary>Waits until all nodes have the newest transaction of any, and compares their pages.</summary>
    public async Task EqualAsync(CancellationToken ct)
    {
        var last = _members.Max(m => m.Store.LastCommittedTransaction);
        foreach (var member in _members)
        {
            while (member.Store.LastCommittedTransaction < last)
                await member.CommittedAsync(last, ct);
        }
        using var first = _members[0].Store.BeginRead();
        foreach (var member in _members.Skip(1))
        {
            using var other = member.Store.BeginRead();
            Xunit.Assert.Equal(first.Id, other.Id);
            Xunit.Assert.Null(StoreEquality.FindDifference(first, other));
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var member in _members)
            await member.DisposeAsync();
    }
}

/// <summary>A node of a <see cref="DriverCluster"/>.</summary>
internal sealed class DriverMember : IAsyncDisposable
{
    private readonly PositionFile _file;
    private readonly Lock _lock = new();
    private TaskCompletionSource _committed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Times that suit the leases of a test.</summary>
    public static DriverOptions Times { get; } =
        new()
        {
            Tick = TimeSpan.FromMilliseconds(15),
            ReadWait = TimeSpan.FromMilliseconds(75),
            SaveEvery = TimeSpan.FromMilliseconds(100),
        };

    public DriverMember(
        string name,
        ISharedLog log,
        bool byTail = false,
        StorageOptions? options = null,
        DriverOptions? driver = null
    )
    {
        Name = name;
        options ??= Options(new MemoryStorageFiles());
        Files = options.Files!;
        Store = StorageEnvironment.Open(options);
        Store.Committed += _ =>
        {
            TaskCompletionSource done;
            lock (_lock)
                (done, _committed) = (_committed, new(TaskCreationOptions.RunContinuationsAsynchronously));
            done.SetResult();
        };
        _file = PositionFile.Open(Files, options.Path!);
        Driver = new NodeDriver(
            Store,
            _file,
            log,
            new NodeOptions(name, Guid.NewGuid())
            {
                ByTail = byTail,
                Seed = name[^1],
                Lease = TimeSpan.FromMilliseconds(300),
                LeaseWait = TimeSpan.FromMilliseconds(360),
                BeatEvery = TimeSpan.FromMilliseconds(75),
                ElectAfter = TimeSpan.FromMilliseconds(450),
                AppendTimeout = TimeSpan.FromMilliseconds(300),
            },
            driver ?? Times
        );
    }

    public string Name { get; }

    public IStorageFiles Files { get; }

    public StorageEnvironment Store { get; }

    public NodeDriver Driver { get; }

    /// <summary>The options of a node's store.</summary>
    public static StorageOptions Options(IStorageFiles files, StorageEncryption? key = null) =>
        new()
        {
            Path = "/node",
            Files = files,
            IsReplica = true,
            Encryption = key,
            MaxDataFileBytes = 256 << 20,
        };

    /// <summary>A copy of this node, as a peer gives it.</summary>
    public CopySource Copy(params IReadOnlyList<CopiedStore> beside) =>
        new(Store, beside, Driver.FindCopyPointAsync, Name);

    public async Task CommittedAsync(long transaction, CancellationToken ct)
    {
        Task next;
        lock (_lock)
            next = _committed.Task;
        if (Store.LastCommittedTransaction < transaction)
            await next.WaitAsync(ct);
    }

    public async ValueTask DisposeAsync()
    {
        await Driver.DisposeAsync();
        _file.Dispose();
        Store.Dispose();
    }
}
