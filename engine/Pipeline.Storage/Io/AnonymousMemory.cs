namespace Pipeline.Storage;

/// <summary>Reserved address space whose pages appear, zeroed, at first touch. Fixed in place until disposal.</summary>
internal sealed unsafe class AnonymousMemory : IDisposable
{
    private const int AlignmentAttempts = 64;
    private const long SmallestCommit = 1 << 20;
    private readonly Lock _gate = new();
    private nint _address;
    private long _usable;

    /// <summary>Reserves it.</summary>
    /// <param name="bytes">Its length.</param>
    /// <param name="grows">
    /// Whether only what <see cref="Ensure"/> names is used. Windows counts usable memory against what the machine has,
    /// touched or not.
    /// </param>
    public AnonymousMemory(long bytes, bool grows = false)
    {
        Length = bytes;
        _address =
            !OperatingSystem.IsWindows() ? Map(bytes)
            : grows ? WindowsMethods.Reserve(0, (nint)bytes)
            : WindowsMethods.ReserveUsable(0, (nint)bytes);
        _usable = grows && OperatingSystem.IsWindows() ? 0 : bytes;
        if (_address is -1 or 0)
        {
            throw new InsufficientMemoryException(
                $"Cannot reserve {bytes:N0} bytes of address space; lower StorageOptions.MaxDataFileBytes."
            );
        }
    }

    /// <summary>
    /// Zeroed memory at a multiple of its size, a power of two, in huge pages where the system has them; freed by
    /// <see cref="UnmapHuge"/>.
    /// </summary>
    public static nint MapHuge(int bytes)
    {
        if (OperatingSystem.IsWindows())
            return MapAligned(bytes);
        var start = Map(2 * (long)bytes);
        if (start == -1)
            throw NoMemory(bytes);
        var aligned = (start + bytes - 1) & -bytes;
        if (aligned > start)
            _ = NativeMethods.Unmap(start, aligned - start);
        if (aligned < start + bytes)
            _ = NativeMethods.Unmap(aligned + bytes, start + bytes - aligned);
        if (OperatingSystem.IsLinux())
            _ = NativeMethods.Advise(aligned, bytes, NativeMethods.HugePages);
        return aligned;
    }

    /// <summary>Frees what <see cref="MapHuge"/> gave.</summary>
    public static void UnmapHuge(nint address, int bytes)
    {
        if (OperatingSystem.IsWindows())
            WindowsMethods.Release(address);
        else
            _ = NativeMethods.Unmap(address, bytes);
    }

    public long Length { get; }

    public byte* Address => (byte*)_address;

    /// <summary>Makes the first bytes usable. Thread-safe.</summary>
    /// <exception cref="InsufficientMemoryException">The system has no more memory.</exception>
    public void Ensure(long bytes)
    {
        if (bytes <= Volatile.Read(ref _usable))
            return;
        lock (_gate)
        {
            if (bytes <= _usable)
                return;
            var usable = Math.Min(Length, Math.Max(bytes, Math.Max(SmallestCommit, 2 * _usable)));
            // Committed memory keeps its content.
            if (!WindowsMethods.TryCommit(_address, (nint)usable))
            {
                throw new InsufficientMemoryException(
                    $"The system has no more memory for tables of pages; {usable - _usable:N0} bytes were requested."
                );
            }
            Volatile.Write(ref _usable, usable);
        }
    }

    public void Dispose()
    {
        var address = Interlocked.Exchange(ref _address, 0);
        if (address is not (0 or -1))
        {
            if (OperatingSystem.IsWindows())
                WindowsMethods.Release(address);
            else
                _ = NativeMethods.Unmap(address, (nint)Length);
        }
        GC.SuppressFinalize(this);
    }

    ~AnonymousMemory() => Dispose();

    private static nint Map(long bytes) =>
        NativeMethods.Map(
            0,
            (nint)bytes,
            NativeMethods.ProtRead | NativeMethods.ProtWrite,
            NativeMethods.MapPrivate | NativeMethods.MapAnonymous | NativeMethods.MapNoReserve,
            -1,
            0
        );

    /// <summary>
    /// Windows cannot give a part of a reservation back. An address found by a larger one is asked for again, and
    /// another thread may have taken it.
    /// </summary>
    private static nint MapAligned(int bytes)
    {
        for (var attempt = 0; attempt < AlignmentAttempts; attempt++)
        {
            var start = WindowsMethods.Reserve(0, 2 * (nint)bytes);
            if (start == 0)
                break;
            WindowsMethods.Release(start);
            var aligned = WindowsMethods.ReserveUsable((start + bytes - 1) & -bytes, bytes);
            if (aligned != 0)
                return aligned;
        }
        throw NoMemory(bytes);
    }

    private static InsufficientMemoryException NoMemory(int bytes) =>
        new($"The system has no more memory for page versions; {bytes:N0} bytes were requested.");
}
