using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>
/// A file in native memory; once mapped it lies in a reserved range, so that its address never changes.
/// </summary>
#pragma warning disable CA1816 // Its finalizer frees what disposal keeps.
internal sealed unsafe class MemoryStorageFile(string path) : IStorageFile
{
    private static readonly long MachineBytes = (long)
        System.Numerics.BitOperations.RoundUpToPowerOf2(
            (ulong)Math.Max(1L << 30, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes)
        );
    private readonly Lock _gate = new();
    private AnonymousMemory? _reserved;
    private byte* _bytes;
    private long _capacity;
    private long _length;

    public string Path { get; set; } = path;

    public long Length => Volatile.Read(ref _length);

    public long AllocatedBytes => Length;

    public int Read(long offset, Span<byte> buffer)
    {
        lock (_gate)
        {
            var n = (int)Math.Clamp(_length - offset, 0, buffer.Length);
            new ReadOnlySpan<byte>(_bytes + offset, n).CopyTo(buffer);
            return n;
        }
    }

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        lock (_gate)
        {
            Grow(offset + bytes.Length);
            bytes.CopyTo(new Span<byte>(_bytes + offset, bytes.Length));
        }
    }

    public void Sync() { }

    public void Allocate(long length)
    {
        lock (_gate)
            Grow(length);
    }

    public void Truncate(long length)
    {
        lock (_gate)
        {
            if (length < _length)
                NativeMemory.Clear(_bytes + length, (nuint)(_length - length));
            else
                Grow(length);
            _length = length;
        }
    }

    public bool PunchHole(long offset, long length)
    {
        lock (_gate)
        {
            length = Math.Clamp(_length - offset, 0, length);
            if (
                _reserved is not null
                && OperatingSystem.IsLinux()
                && offset % Environment.SystemPageSize == 0
                && length % Environment.SystemPageSize == 0
            )
            {
                _ = NativeMethods.Advise((nint)(_bytes + offset), (nint)length, NativeMethods.DontNeed);
            }
            else
            {
                NativeMemory.Clear(_bytes + offset, (nuint)length);
            }

            return true;
        }
    }

    public void Reserve(long offset, long length) { }

    public nint Map(long reservedBytes)
    {
        lock (_gate)
        {
            if (_reserved is not null)
                throw new InvalidOperationException($"{Path} is already mapped.");
            // Never more than the machine could hold: address space is for all files of the process.
            reservedBytes = Math.Min(reservedBytes, Math.Max(MachineBytes, _length));
            _reserved = new AnonymousMemory(reservedBytes, grows: true);
            _reserved.Ensure(_length);
            NativeMemory.Copy(_bytes, _reserved.Address, (nuint)_length);
            NativeMemory.Free(_bytes);
            _bytes = _reserved.Address;
            _capacity = reservedBytes;
            return (nint)_bytes;
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            // A file that is not mapped keeps its bytes: it can be opened again.
            if (_reserved is null)
                return;
            _reserved.Dispose();
            _reserved = null;
            _bytes = null;
            _capacity = _length = 0;
        }
    }

    ~MemoryStorageFile()
    {
        if (_reserved is null)
            NativeMemory.Free(_bytes);
    }

    private void Grow(long length)
    {
        if (length <= _length)
            return;
        if (length > _capacity)
        {
            if (_reserved is not null)
                throw new DiskFullException(Path, length - _capacity);
            var capacity = Math.Max(length, _capacity * 2);
            _bytes = (byte*)NativeMemory.Realloc(_bytes, (nuint)capacity);
            NativeMemory.Clear(_bytes + _capacity, (nuint)(capacity - _capacity));
            _capacity = capacity;
        }
        _reserved?.Ensure(length);
        Volatile.Write(ref _length, length);
    }
}
