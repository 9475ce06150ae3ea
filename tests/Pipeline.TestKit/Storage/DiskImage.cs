using System.Collections.Concurrent;
using Pipeline.Storage;

namespace Pipeline.TestKit.Storage;

/// <summary>
/// The bytes of one simulated file, at an address that stays the same while they fit the reserved memory.
/// Disposed images are cleared and reused: the crash simulation makes hundreds of thousands, and mapping each would
/// cost more than its work. Not thread-safe.
/// </summary>
internal sealed unsafe class DiskImage : IDisposable
{
    private const long PooledBytes = 64 << 20;
    private const long MaxCleared = 4 << 20;
    private const int MaxPooled = 256;
    private static readonly ConcurrentBag<AnonymousMemory> Pool = [];
    private AnonymousMemory? _memory;
    private long _used;

    /// <summary>The file's length.</summary>
    public long Length { get; private set; }

    /// <summary>All its bytes.</summary>
    public Span<byte> Content => _memory is null ? [] : new Span<byte>(_memory.Address, checked((int)Length));

    /// <summary>Makes room for so many bytes at one address, and returns the address.</summary>
    public nint Reserve(long bytes)
    {
        if (_memory is null && bytes <= PooledBytes)
        {
            _memory = Pool.TryTake(out var pooled) ? pooled : new AnonymousMemory(PooledBytes, grows: true);
        }
        else if (_memory is null || _memory.Length < bytes)
        {
            var larger = new AnonymousMemory(bytes, grows: true);
            larger.Ensure(Length);
            Content.CopyTo(new Span<byte>(larger.Address, checked((int)Length)));
            Release();
            _memory = larger;
            _used = Length;
        }
        return (nint)_memory.Address;
    }

    /// <summary>Copies the bytes to the offset, growing the file where needed.</summary>
    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        if (offset + bytes.Length > Length)
            SetLength(offset + bytes.Length);
        bytes.CopyTo(Content[(int)offset..]);
    }

    /// <summary>Cuts the file, or adds zeros.</summary>
    public void SetLength(long length)
    {
        if (length < Length)
        {
            Content[(int)length..].Clear();
        }
        else
        {
            Reserve(
                _memory is null ? length
                : length <= _memory.Length ? length
                : length * 2
            );
            _memory!.Ensure(length);
        }

        Length = length;
        _used = Math.Max(_used, length);
    }

    /// <summary>Gives its memory back; it is empty then.</summary>
    public void Dispose()
    {
        Release();
        Length = 0;
    }

    private void Release()
    {
        if (_memory is null)
            return;
        if (_memory.Length == PooledBytes && _used <= MaxCleared && Pool.Count < MaxPooled)
        {
            new Span<byte>(_memory.Address, (int)_used).Clear();
            Pool.Add(_memory);
        }
        else
        {
            _memory.Dispose();
        }
        _memory = null;
        _used = 0;
    }
}
