namespace Pipeline.Storage;

/// <summary>Reserved address space whose pages appear, zeroed, at first touch. Fixed in place until disposal.</summary>
internal sealed unsafe class AnonymousMemory : IDisposable
{
    private nint _address;

    public AnonymousMemory(long bytes)
    {
        Length = bytes;
        _address = NativeMethods.Map(
            0,
            (nint)bytes,
            NativeMethods.ProtRead | NativeMethods.ProtWrite,
            NativeMethods.MapPrivate | NativeMethods.MapAnonymous | NativeMethods.MapNoReserve,
            -1,
            0
        );
        if (_address == -1)
        {
            throw new InsufficientMemoryException(
                $"Cannot reserve {bytes:N0} bytes of address space; lower StorageOptions.MaxDataFileBytes."
            );
        }
    }

    /// <summary>
    /// Zeroed memory at a multiple of its size, a power of two, in huge pages where the system has them; freed by
    /// unmapping.
    /// </summary>
    public static nint MapHuge(int bytes)
    {
        var start = NativeMethods.Map(
            0,
            2 * (nint)bytes,
            NativeMethods.ProtRead | NativeMethods.ProtWrite,
            NativeMethods.MapPrivate | NativeMethods.MapAnonymous | NativeMethods.MapNoReserve,
            -1,
            0
        );
        if (start == -1)
        {
            throw new InsufficientMemoryException(
                $"The system has no more memory for page versions; {bytes:N0} bytes were requested."
            );
        }

        var aligned = (start + bytes - 1) & -bytes;
        if (aligned > start)
            _ = NativeMethods.Unmap(start, aligned - start);
        if (aligned < start + bytes)
            _ = NativeMethods.Unmap(aligned + bytes, start + bytes - aligned);
        if (OperatingSystem.IsLinux())
            _ = NativeMethods.Advise(aligned, bytes, NativeMethods.HugePages);
        return aligned;
    }

    public long Length { get; }

    public byte* Address => (byte*)_address;

    public void Dispose()
    {
        var address = Interlocked.Exchange(ref _address, 0);
        if (address != 0)
            _ = NativeMethods.Unmap(address, (nint)Length);
        GC.SuppressFinalize(this);
    }

    ~AnonymousMemory() => Dispose();
}
