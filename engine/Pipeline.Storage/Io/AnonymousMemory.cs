namespace Pipeline.Storage;

/// <summary>Reserved address space whose pages appear, zeroed, at first touch. Fixed in place until disposal.</summary>
internal sealed unsafe class AnonymousMemory : IDisposable
{
    private nint _address;

    public AnonymousMemory(long bytes)
    {
        Length = bytes;
        _address = NativeMethods.Map(0, (nint)bytes, NativeMethods.ProtRead | NativeMethods.ProtWrite,
            NativeMethods.MapPrivate | NativeMethods.MapAnonymous | NativeMethods.MapNoReserve, -1, 0);
        if (_address == -1)
            throw new InsufficientMemoryException($"Cannot reserve {bytes:N0} bytes of address space; lower StorageOptions.MaxDataFileBytes.");
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
