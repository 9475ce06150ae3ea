using System.Text;
using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Pipeline.Storage;
using Pipeline.TestKit.Logging;
using Xunit;

namespace Pipeline.CrashTests.Storage.Replication;

/// <summary>A leader and a follower on disks in memory, whose data files a test damages.</summary>
internal sealed class ReplicaPair : IDisposable
{
    private const int PageRepaired = 43;
    private readonly MemoryStorageFiles _leaderFiles = new();
    private readonly MemoryStorageFiles _followerFiles = new();
    private readonly TestLog _log = new();
    private readonly Channel<EventId> _repaired = Channel.CreateUnbounded<EventId>();
    private readonly CapturedLines _lines;
    private readonly TimeProvider _time;
    private readonly bool _encrypted;

    public ReplicaPair(bool encrypted = false, TimeProvider? time = null)
    {
        (_encrypted, _time) = (encrypted, time ?? TimeProvider.System);
        _lines = new CapturedLines
        {
            Written = written =>
            {
                if (written.Id == PageRepaired)
                    _repaired.Writer.TryWrite(written);
            },
        };
        Leader = Open(_leaderFiles, 1);
        Follower = Open(_followerFiles, 2);
        Leader.Lead(_log);
    }

    public StorageEnvironment Leader { get; }

    public StorageEnvironment Follower { get; }

    public IStorageFile DataOf(StorageEnvironment store) =>
        (store == Leader ? _leaderFiles : _followerFiles).Open("/s/pipeline.data", create: false);

    public static byte[] Key(int i) => Encoding.UTF8.GetBytes($"key-{i:d6}");

    /// <summary>Writes values at the leader, applies them at the follower, and flushes both.</summary>
    public async Task FillAsync(int count, bool flush = true)
    {
        await WriteAsync(t =>
        {
            for (var i = 0; i < count; i++)
            {
                t.CreateTree("small").Put(Key(i), new byte[100]);
                if (i % 20 == 0)
                    t.CreateTree("large").Put(Key(i), new byte[10_000 + i]);
            }
        });
        Apply();
        if (!flush)
            return;
        Leader.Flush();
        Follower.Flush();
    }

    /// <summary>Runs an operation at the leader.</summary>
    public Task WriteAsync(Action<WriteTransaction> operation) =>
        _log.AcceptUntilAsync(Leader, Leader.WriteAsync(operation));

    /// <summary>Applies all of the leader's transactions at the follower.</summary>
    public void Apply()
    {
        while (Follower.LastCommittedTransaction < _log.Accepted.Count)
            Follower.Apply(_log.Accepted[(int)Follower.LastCommittedTransaction]);
    }

    /// <summary>Damages all pages and runs in use, or those of a type; returns their numbers.</summary>
    public unsafe List<long> Damage(StorageEnvironment store, PageType? only = null, Func<long, bool>? which = null)
    {
        var pages = new List<(long Page, int Count)>();
        // Found at the other store, so that this one has decrypted none of them.
        using (var read = (store == Leader ? Follower : Leader).BeginRead())
        {
            var used = new UsedPages(read);
            while (used.MoveNext())
            {
                fixed (byte* page = used.Bytes)
                {
                    if ((only is null || PageLayout.Type(page) == only) && which?.Invoke(used.Number) != false)
                        pages.Add((used.Number, used.Count));
                }
            }
        }
        var file = DataOf(store);
        var one = new byte[1];
        foreach (var (page, count) in pages)
        {
            var at = ((page + count) << PageLayout.PageShift) - 3;
            file.Read(at, one);
            one[0] ^= 0x10;
            file.Write(at, one);
        }
        return [.. pages.Select(p => p.Page)];
    }

    /// <summary>Waits until so many pages were repaired.</summary>
    public async Task RepairedAsync(int count)
    {
        using var timeout = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        for (var i = 0; i < count; i++)
            await _repaired.Reader.ReadAsync(timeout.Token);
    }

    public void AssertEqual() => Assert.Null(ReplicaStores.Difference(Leader, Follower));

    public void Dispose()
    {
        Leader.Dispose();
        Follower.Dispose();
    }

    private StorageEnvironment Open(MemoryStorageFiles files, byte key) =>
        StorageEnvironment.Open(
            new StorageOptions
            {
                Path = "/s",
                Files = files,
                IsReplica = true,
                MaxDataFileBytes = 256 << 20,
                FlushInterval = TimeSpan.FromHours(10),
                ScrubInterval = null,
                TimeProvider = _time,
                LoggerFactory = _lines,
                Encryption = _encrypted ? new StorageEncryption { Key = Enumerable.Repeat(key, 32).ToArray() } : null,
            }
        );
}
