using System.Numerics;

namespace Pipeline.Storage;

/// <content>
/// The space behind the pages, in chunks (StorageOptions.PagesPerChunk). A chunk that is free as of the
/// checkpoint, and in which nothing was allocated since, is free in every state from the checkpoint on, that of the
/// open write transaction included: no reader, no flush and no recovery needs what lies there, and its space can be
/// released. One lock covers the flush's look and the writer's record of where it will allocate. So neither overtakes
/// the other, and the writer has the space again before its transaction is sealed.
/// </content>
internal sealed unsafe partial class DataFile
{
    /// <summary>
    /// The most bytes released in one call. A writer that allocates in a new chunk waits for the call.
    /// </summary>
    private const long MaxBytesAtOnce = 16 << 20;

    // The states of a chunk: unknown; some of its space was released; otherwise it has its space, and the value is the
    // last transaction that allocated there.
    private const long Unknown = 0;
    private const long Hole = -1;
    private const long Grown = 1;

    private readonly Lock _space = new();
    private readonly AnonymousMemory _chunks;
    private long _punchedBytes;
    private bool _cannotPunch;
    private PageTable? _table;

    /// <summary>Pages of a chunk, at most 64.</summary>
    public int PagesPerChunk { get; }

    private long ChunkBytes => (long)PagesPerChunk << PageLayout.PageShift;

    /// <summary>Bytes of the device that the file takes, where that can be known.</summary>
    public long AllocatedBytes => _file.AllocatedBytes;

    /// <summary>Bytes released to the file system since the opening.</summary>
    public long PunchedBytes => Interlocked.Read(ref _punchedBytes);

    /// <summary>Whether the file system can punch holes, as far as known.</summary>
    public bool CanPunch => !Volatile.Read(ref _cannotPunch);

    /// <summary>Keeps a table usable for all pages that the file has.</summary>
    public void Serve(PageTable table)
    {
        lock (_space)
        {
            table.Ensure(_file.Length >> PageLayout.PageShift);
            _table = table;
        }
    }

    /// <summary>Grows the file to at least this many pages, in steps that grow with it.</summary>
    /// <exception cref="DiskFullException">
    /// The disk is full, or the limit is reached; the file is as before.
    /// </exception>
    public void EnsurePages(long pageCount)
    {
        if (pageCount << PageLayout.PageShift <= _file.Length)
            return;
        lock (_space)
            Grow(pageCount << PageLayout.PageShift);
    }

    /// <summary>
    /// Reserves space before a transaction allocates a page or run: the range lies within the file, and writing it
    /// cannot run out of space.
    /// </summary>
    /// <exception cref="DiskFullException">The disk is full, or the limit is reached.</exception>
    public void Reserve(long page, int pageCount, long transaction)
    {
        var (first, last) = (page / PagesPerChunk, (page + pageCount - 1) / PagesPerChunk);
        var end = (page + pageCount) << PageLayout.PageShift;
        if (first == last && Volatile.Read(ref Chunk(first)) == transaction && end <= _file.Length)
            return;
        lock (_space)
        {
            Grow(end);
            for (var chunk = first; chunk <= last; chunk++)
            {
                ref var state = ref Chunk(chunk);
                if (state is (Unknown or Hole) && (_options.Faults & StorageFaults.UseHolesUnreserved) == 0)
                    _file.Reserve(chunk * ChunkBytes, Math.Min(ChunkBytes, _file.Length - (chunk * ChunkBytes)));
                Holes(chunk) = 0;
                Volatile.Write(ref state, transaction);
            }
        }
    }

    /// <summary>
    /// Gives back those of some neighbouring chunks, free as of the checkpoint, in which nothing was allocated after
    /// it. Returns whether that is all of them.
    /// </summary>
    /// <exception cref="IOException">The file system refused; no page that counts is touched.</exception>
    public bool Punch(long chunk, int count, long checkpoint)
    {
        var all = true;
        for (var end = chunk + count; chunk < end && CanPunch; )
        {
            lock (_space)
            {
                var first = chunk;
                while (
                    chunk < end
                    && (chunk - first) * ChunkBytes < MaxBytesAtOnce
                    && Holes(chunk) != AllPages
                    && Chunk(chunk) <= checkpoint
                )
                {
                    chunk++;
                }

                if (chunk == first)
                    all &= Holes(chunk++) == AllPages;
                else
                    PunchAt(first, chunk - first);
            }
        }
        return all;
    }

    /// <summary>
    /// Releases the pages of a chunk that are free as of the checkpoint, if nothing was allocated in the chunk after
    /// it. A later allocation in the chunk reserves the space of the whole chunk again.
    /// </summary>
    /// <param name="chunk">The chunk.</param>
    /// <param name="free">Its free pages, a bit each.</param>
    /// <param name="checkpoint">The checkpoint's transaction.</param>
    /// <param name="left">Counts down by the holes made; no more are made once none is left.</param>
    /// <returns>Whether all of these pages are released.</returns>
    /// <exception cref="IOException">The file system refused; no page that counts is touched.</exception>
    public bool PunchPages(long chunk, ulong free, long checkpoint, ref int left)
    {
        lock (_space)
        {
            if (Chunk(chunk) > checkpoint)
                return false;
            for (var wanted = free & ~Holes(chunk); wanted != 0 && CanPunch; left--)
            {
                if (left <= 0)
                    return false;
                var first = BitOperations.TrailingZeroCount(wanted);
                var count = BitOperations.TrailingZeroCount(~(wanted >> first));
                var bytes = (long)count << PageLayout.PageShift;
                if (!_file.PunchHole((chunk * ChunkBytes) + ((long)first << PageLayout.PageShift), bytes))
                {
                    Volatile.Write(ref _cannotPunch, true);
                    return false;
                }
                var pages = (ulong.MaxValue >> (64 - count)) << first;
                wanted &= ~pages;
                Holes(chunk) |= pages;
                Volatile.Write(ref Chunk(chunk), Hole);
                Interlocked.Add(ref _punchedBytes, bytes);
            }
            return true;
        }
    }

    /// <summary>Cuts the file to this many pages, even if pages beyond were allocated.</summary>
    public void Truncate(long pageCount)
    {
        lock (_space)
            TruncateTo(pageCount << PageLayout.PageShift);
    }

    /// <summary>
    /// Cuts the file to this many pages. All pages beyond are free as of the checkpoint; the cut stops at one allocated
    /// since. Returns whether the whole cut was made.
    /// </summary>
    public bool CutTail(long pageCount, long checkpoint)
    {
        lock (_space)
        {
            var wanted = (pageCount + PagesPerChunk - 1) / PagesPerChunk;
            var chunk = (_file.Length + ChunkBytes - 1) / ChunkBytes;
            while (chunk > wanted && Chunk(chunk - 1) <= checkpoint)
                chunk--;
            if (chunk * ChunkBytes < _file.Length)
                TruncateTo(chunk * ChunkBytes);
            return chunk <= wanted;
        }
    }

    private void Grow(long needed)
    {
        var length = _file.Length;
        if (needed <= length)
            return;
        if (needed > _options.MaxDataFileBytes)
        {
            throw new DiskFullException(
                $"{Path} (limited by StorageOptions.MaxDataFileBytes = {_options.MaxDataFileBytes:N0})",
                needed - length
            );
        }

        var step = Math.Clamp(
            (long)BitOperations.RoundUpToPowerOf2((ulong)length) / 4,
            _options.InitialDataFileBytes,
            _options.MaxGrowthBytes
        );
        var target = EnsureMapped(needed, Math.Min(Math.Max(needed, length + step), _options.MaxDataFileBytes));
        EnsureTables(target);
        try
        {
            _file.Allocate(target);
        }
        catch (DiskFullException) when (target > needed)
        {
            _file.Allocate(needed);
        }
        try
        {
            EnsureTables(_file.Length);
            ShowGrowth();
        }
        catch
        {
            _file.Truncate(length); // Its length says what can be read.
            throw;
        }
        // A chunk that the file grew into keeps its known state.
        for (var chunk = (length + ChunkBytes - 1) / ChunkBytes; chunk * ChunkBytes < _file.Length; chunk++)
            Volatile.Write(ref Chunk(chunk), Grown);
    }

    /// <summary>
    /// Makes the tables of pages usable for a file of this length. Runs before anybody can know of a page there.
    /// </summary>
    private void EnsureTables(long length)
    {
        var pages = length >> PageLayout.PageShift;
        _verified.Ensure(BytesForBits(pages));
        _frozen.Ensure(BytesForBits(pages));
        _chunks.Ensure(BytesForChunks(pages));
        _plain?.Ensure(pages);
        _table?.Ensure(pages);
    }

    private static long BytesForBits(long pages) => (pages / 8) + 8;

    private long BytesForChunks(long pages) => ((pages / PagesPerChunk) + 1) * sizeof(ChunkState);

    private void PunchAt(long chunk, long count)
    {
        var offset = chunk * ChunkBytes;
        var bytes = Math.Min(count * ChunkBytes, _file.Length - offset);
        if (!_file.PunchHole(offset, bytes))
        {
            Volatile.Write(ref _cannotPunch, true);
            return;
        }
        for (var i = chunk; i < chunk + count; i++)
        {
            bytes -= (long)BitOperations.PopCount(Holes(i)) << PageLayout.PageShift;
            Holes(i) = AllPages;
            Volatile.Write(ref Chunk(i), Hole);
        }
        Interlocked.Add(ref _punchedBytes, bytes);
    }

    private void TruncateTo(long length)
    {
        var end = (_file.Length + ChunkBytes - 1) / ChunkBytes;
        _file.Truncate(length);
        for (var chunk = length / ChunkBytes; chunk < end; chunk++)
        {
            Holes(chunk) = 0;
            Volatile.Write(ref Chunk(chunk), Unknown);
        }
    }

    /// <summary>The mask of all pages of a chunk.</summary>
    private ulong AllPages => ulong.MaxValue >> (64 - PagesPerChunk);

    private ref long Chunk(long chunk) => ref ((ChunkState*)_chunks.Address + chunk)->State;

    /// <summary>The pages of a chunk whose space was released, a bit each. Guarded by <see cref="_space"/>.</summary>
    private ref ulong Holes(long chunk) => ref ((ChunkState*)_chunks.Address + chunk)->Holes;

    private struct ChunkState
    {
        public long State;
        public ulong Holes;
    }
}
