namespace Pipeline.Storage;

/// <summary>
/// A file whose writes and syncs are counted. Journal entries, which alone are written as blocks, are counted apart
/// from the preparation of journal files.
/// </summary>
internal sealed class MeasuredFile(IStorageFile file, IoRecorder io, bool isJournal) : IStorageFile
{
    private long _unsynced;
    private bool _entries;

    public string Path => file.Path;

    public long Length => file.Length;

    public long AllocatedBytes => file.AllocatedBytes;

    public int Read(long offset, Span<byte> buffer) => file.Read(offset, buffer);

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        var started = io.Start();
        file.Write(offset, bytes);
        Interlocked.Add(ref _unsynced, bytes.Length);
        io.Done(isJournal ? IoKind.JournalPrepare : IoKind.DataWrite, bytes.Length, started);
    }

    public void WriteBlocks(long offset, ReadOnlySpan<byte> blocks)
    {
        var started = io.Start();
        file.WriteBlocks(offset, blocks);
        Interlocked.Add(ref _unsynced, blocks.Length);
        Volatile.Write(ref _entries, true);
        io.Done(isJournal ? IoKind.JournalWrite : IoKind.DataWrite, blocks.Length, started);
    }

    public void Sync()
    {
        var started = io.Start();
        var bytes = Interlocked.Exchange(ref _unsynced, 0);
        file.Sync();
        io.Done(
            !isJournal ? IoKind.DataSync
                : Volatile.Read(ref _entries) ? IoKind.JournalSync
                : IoKind.JournalPrepare,
            bytes,
            started
        );
    }

    public void Allocate(long length) => file.Allocate(length);

    public void Truncate(long length) => file.Truncate(length);

    public bool PunchHole(long offset, long length)
    {
        var started = io.Start();
        if (!file.PunchHole(offset, length))
            return false;
        io.Done(IoKind.PunchHole, length, started);
        return true;
    }

    public void Reserve(long offset, long length) => file.Reserve(offset, length);

    public nint Map(long reservedBytes) => file.Map(reservedBytes);

    public bool CanMapMore => file.CanMapMore;

    public nint MapMore(long reservedBytes, IEnumerable<(long Offset, long Length)> frozen) =>
        file.MapMore(reservedBytes, frozen);

    public bool TryShowGrowth() => file.TryShowGrowth();

    public bool TryFreeze(long offset, long length) => file.TryFreeze(offset, length);

    public int MappedPageBytes => file.MappedPageBytes;

    public bool TryLock() => file.TryLock();

    public void Thaw(long offset, long length) => file.Thaw(offset, length);

    public void Dispose() => file.Dispose();
}
