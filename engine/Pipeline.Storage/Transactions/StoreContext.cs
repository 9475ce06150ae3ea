using Microsoft.Extensions.Logging;

namespace Pipeline.Storage;

/// <summary>The state that the parts of an open store share.</summary>
internal sealed class StoreContext : IDisposable
{
    /// <summary>Slots of the reader table that the committer and the flusher take.</summary>
    public const int WriterSlots = 2;

    /// <summary>Refusals that follow each other closer than this are logged once.</summary>
    private static readonly TimeSpan RefusalsLogged = TimeSpan.FromSeconds(10);

    private readonly IReadOnlyList<IDisposable> _locks;
    private StoreState _published;
    private StorageFailedException? _failure;
    private long _unflushedJournalBytes;
    private StorageRefusal? _lastRefusal;
    private long _refusals;
    private int _disposed;

    public StoreContext(
        StorageOptions options,
        string name,
        IReadOnlyList<IDisposable> locks,
        DataFile data,
        PageTable table,
        ScratchPool scratch,
        JournalFiles? journal,
        MetaPage meta,
        StoreCipher? cipher
    )
    {
        (Options, Name, _locks, Data, Table, Scratch, Journal, Checkpoint) = (
            options,
            name,
            locks,
            data,
            table,
            scratch,
            journal,
            meta
        );
        _published = meta.State;
        Readers = new ReaderTable(
            options.MaxReaders + WriterSlots,
            options.Faults & (StorageFaults.ReaderWithoutFence | StorageFaults.ReaderNotChoosing)
        );
        Cipher = cipher;
        if (data.Plain is { } plain)
            plain.Readers = Readers;
        Logger = StorageLog.Of(options);
    }

    public StorageOptions Options { get; }

    /// <summary>The counts of file operations.</summary>
    public required IoRecorder Io { get; init; }

    /// <summary>Where its files are.</summary>
    public required IStorageFiles Files { get; init; }

    /// <summary>The store's folder, for messages.</summary>
    public string Name { get; }

    public DataFile Data { get; }

    public PageTable Table { get; }

    public ScratchPool Scratch { get; }

    public ReaderTable Readers { get; }

    /// <summary>The journal; null where the store is in memory.</summary>
    public JournalFiles? Journal { get; }

    /// <summary>Encrypts pages and journal entries; null where the store is plain.</summary>
    public StoreCipher? Cipher { get; }

    public ILogger Logger { get; }

    /// <summary>The last durable meta page. Written by the flush alone.</summary>
    public MetaPage Checkpoint { get; set; }

    /// <summary>The state that new readers see.</summary>
    public ref StoreState Published => ref _published;

    /// <summary>Why writes are refused, or null.</summary>
    public StorageFailedException? Failure => Volatile.Read(ref _failure);

    /// <summary>Journal bytes after the checkpoint.</summary>
    public ref long UnflushedJournalBytes => ref _unflushedJournalBytes;

    /// <summary>Writes that were refused because there was no room.</summary>
    public long Refusals => Interlocked.Read(ref _refusals);

    /// <summary>The last of them, or null.</summary>
    public StorageRefusal? LastRefusal => Volatile.Read(ref _lastRefusal);

    /// <summary>Notes that a write was refused, if the reason was lack of space.</summary>
    public void NoteRefusal(Exception error)
    {
        if (error is not DiskFullException)
            return;
        Interlocked.Increment(ref _refusals);
        StorageMetrics.Refused(Name);
        var refusal = new StorageRefusal(Options.TimeProvider.GetUtcNow(), error.Message);
        if (
            Interlocked.Exchange(ref _lastRefusal, refusal) is not { } former
            || refusal.Time - former.Time >= RefusalsLogged
        )
        {
            StorageLog.Refused(Logger, Name, refusal.Reason);
        }
    }

    /// <summary>Notes the first failure of a write or sync; from then on the environment refuses writes.</summary>
    public StorageFailedException Fail(string path, string operation, Exception cause)
    {
        var failure = new StorageFailedException(path, operation, cause);
        var first = Interlocked.CompareExchange(ref _failure, failure, null);
        if (first is null)
            StorageLog.Failed(Logger, Name, failure);
        return first ?? failure;
    }

    /// <summary>Checks that no other file has replaced a lock file.</summary>
    /// <exception cref="StorageFailedException">Somebody has: two would write.</exception>
    public void CheckLocks()
    {
        foreach (var @lock in _locks)
        {
            try
            {
                (@lock as LockFile)?.Check();
            }
            catch (Exception e) when (e is StoreInUseException or IOException or UnauthorizedAccessException)
            {
                throw Fail(Name, "looking at its lock file", e);
            }
        }
    }

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
            return;
        Data.Dispose();
        Table.Dispose();
        Scratch.Dispose();
        Cipher?.Dispose();
        // Readers stays until it is collected: a late BeginRead must find its slots to see that it is too late.
        foreach (var @lock in _locks)
            @lock.Dispose();
    }
}
