using System.Runtime.CompilerServices;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>
/// Changes to one tree, made before the transaction that applies them: it may run again, and must not wait for others
/// to think. In the order in which they are to be made, best that of the keys.
/// </summary>
/// <remarks>
/// Safety of the pointers: a record's bytes lie in one piece of the arena, which lives until the log is disposed. Not
/// thread-safe while it is written.
/// </remarks>
internal sealed unsafe class PutLog(string tree) : IDisposable
{
    private const int HeaderSize = 8;
    private const int Deletion = -1;
    private const int MinBlock = 256 << 10;
    private readonly NativeArena _arena = new();
    private readonly List<(nint Start, nint End)> _runs = [];
    private byte* _start;
    private byte* _at;
    private byte* _end;

    public string Tree { get; } = tree;

    public int Count { get; private set; }

    /// <summary>Bytes of memory held.</summary>
    public long Bytes => _arena.Bytes;

    /// <summary>Bytes of the changes.</summary>
    public long Length { get; private set; }

    /// <summary>Sets a key's value to bytes that the caller then writes, all of them.</summary>
    public Span<byte> Reserve(ReadOnlySpan<byte> key, int length)
    {
        var record = Add(key, length, checked(HeaderSize + key.Length + length));
        return new Span<byte>(record + HeaderSize + key.Length, length);
    }

    public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => value.CopyTo(Reserve(key, value.Length));

    public void Delete(ReadOnlySpan<byte> key) => Add(key, Deletion, HeaderSize + key.Length);

    /// <summary>Makes the changes.</summary>
    public void Apply(WriteTransaction transaction)
    {
        if (Count == 0)
            return;
        var tree = transaction.CreateTree(Tree);
        CloseRun();
        foreach (var (start, end) in _runs)
        {
            for (var at = (byte*)start; at < (byte*)end; )
            {
                var keyLength = Unsafe.ReadUnaligned<int>(at);
                var length = Unsafe.ReadUnaligned<int>(at + 4);
                var key = new ReadOnlySpan<byte>(at + HeaderSize, keyLength);
                at += HeaderSize + keyLength;
                if (length == Deletion)
                {
                    tree.Delete(key);
                    continue;
                }

                tree.Put(key, new ReadOnlySpan<byte>(at, length));
                at += length;
            }
        }
    }

    public void Dispose() => _arena.Dispose();

    private byte* Add(ReadOnlySpan<byte> key, int length, int size)
    {
        if (size > _end - _at)
        {
            CloseRun();
            var block = Math.Max(size, Count == 0 ? Math.Min(MinBlock, 4096) : MinBlock);
            _start = _at = _arena.Take(block);
            _end = _at + block;
        }

        var record = _at;
        Unsafe.WriteUnaligned(record, key.Length);
        Unsafe.WriteUnaligned(record + 4, length);
        key.CopyTo(new Span<byte>(record + HeaderSize, key.Length));
        _at += size;
        Length += size;
        Count++;
        return record;
    }

    private void CloseRun()
    {
        if (_at != _start)
            _runs.Add(((nint)_start, (nint)_at));
        _start = _at;
    }
}
