namespace Pipeline.Storage;

/// <summary>
/// One open file. Reads, writes and syncs may run at once from several threads; a write is complete or throws. Errors
/// of the device are
/// <see cref="IOException"/>, a lack of space is <see cref="DiskFullException"/>.
/// </summary>
public interface IStorageFile : IDisposable
{
    /// <summary>The path it was opened by.</summary>
    string Path { get; }

    /// <summary>The length in bytes.</summary>
    long Length { get; }

    /// <summary>Bytes of the device that the file takes, where that can be known; else <see cref="Length"/>.</summary>
    long AllocatedBytes { get; }

    /// <summary>Reads until the buffer is full or the file ends; returns the bytes read.</summary>
    int Read(long offset, Span<byte> buffer);

    /// <summary>Writes all bytes at the offset, growing the file where needed.</summary>
    void Write(long offset, ReadOnlySpan<byte> bytes);

    /// <summary>
    /// As <see cref="Write"/>, for whole blocks of 4,096 bytes in memory and at an offset that are multiples of that,
    /// which are not read soon: they may go to the device past the system's cache. They too are durable only after
    /// <see cref="Sync"/>.
    /// </summary>
    void WriteBlocks(long offset, ReadOnlySpan<byte> blocks) => Write(offset, blocks);

    /// <summary>Returns when all that was written before the call survives a power cut (fdatasync or better).</summary>
    void Sync();

    /// <summary>
    /// Grows the file to at least the length, with its space reserved, so that writes within it cannot run out of
    /// space. New bytes read as zeros.
    /// </summary>
    /// <exception cref="DiskFullException">The disk is full; the file is as before.</exception>
    void Allocate(long length);

    /// <summary>Cuts the file to the length.</summary>
    void Truncate(long length);

    /// <summary>
    /// Gives a range of whole blocks of 4,096 bytes within the file back to the file system. It reads as zeros from
    /// then on; after a crash before
    /// <see cref="Sync"/> each block has its former bytes or zeros. The next write there may run out of space, unless
    /// <see cref="Reserve"/> comes before it.
    /// </summary>
    /// <returns>False, with nothing done, where the file system cannot.</returns>
    bool PunchHole(long offset, long length);

    /// <summary>
    /// Reserves the released space of a range within the file again, so that writes within it cannot run out of space.
    /// Changes no byte.
    /// </summary>
    /// <exception cref="DiskFullException">The disk is full; the bytes are as before.</exception>
    void Reserve(long offset, long length);

    /// <summary>
    /// Maps the file for reading, with room for it to grow to the reserved bytes under the same address; bytes that are
    /// beyond the end of the file must not be read. Writes through <see cref="Write"/> are seen at once. Once per file;
    /// undone by disposal.
    /// </summary>
    nint Map(long reservedBytes);

    /// <summary>
    /// Whether <see cref="MapMore"/> is there. Where it is not, <see cref="Map"/> takes all that the file may ever
    /// have.
    /// </summary>
    bool CanMapMore => false;

    /// <summary>
    /// Maps the file once more, with more room. The earlier mappings keep their addresses and contents until disposal.
    /// <see cref="TryFreeze"/> and
    /// <see cref="Thaw"/> hold for all mappings from then on. Not while one of these runs.
    /// </summary>
    /// <param name="reservedBytes">The room, larger than before.</param>
    /// <param name="frozen">
    /// The ranges that are frozen now: the new mapping shows what the one before shows there.
    /// </param>
    /// <returns>The new mapping's address.</returns>
    /// <exception cref="IOException">The system gives no such room; all is as before.</exception>
    nint MapMore(long reservedBytes, IEnumerable<(long Offset, long Length)> frozen) =>
        throw new NotSupportedException($"{Path} is mapped once.");

    /// <summary>
    /// Lets the newest mapping show what the file grew by. Where the system shows growth by itself there is nothing to
    /// do.
    /// </summary>
    /// <returns>False if that cannot be under the same address: then <see cref="MapMore"/> shows it.</returns>
    bool TryShowGrowth() => true;

    /// <summary>
    /// Freezes the mapping of a range of whole blocks of 4,096 bytes within the file: later writes do not show in it
    /// until <see cref="Thaw"/>. A thread that reads through the mapping during the call notices nothing. Not for one
    /// range from several threads at once.
    /// </summary>
    /// <returns>False if the system cannot; then no further page of the range is frozen.</returns>
    bool TryFreeze(long offset, long length) => false;

    /// <summary>The size of the system's memory pages in bytes; freezing and thawing act on whole ones.</summary>
    int MappedPageBytes => Environment.SystemPageSize;

    /// <summary>
    /// Keeps every other opening of the file from taking the same lock, until disposal, in this process and others.
    /// </summary>
    /// <returns>False if another holder has it. True, without a lock, on a system without such locks.</returns>
    bool TryLock() => true;

    /// <summary>
    /// Lets the mapping of a range show what the file holds. Nobody may be reading there; harmless where nothing was
    /// frozen.
    /// </summary>
    void Thaw(long offset, long length) { }
}
