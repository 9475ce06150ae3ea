using System.Buffers;
using System.Collections;
using Pipeline.Json;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// Some consecutive changes of a feed, in order of position. The changes and their bodies lie in pooled memory, which
/// goes back at disposal: no body may be used after that. Reading is thread-safe; disposal is not.
/// </summary>
public sealed class ChangeBatch : IReadOnlyList<Change>, IDisposable
{
    private readonly int _count;
    private readonly List<byte[]> _bodies;
    private Change[]? _changes;

    private ChangeBatch(Change[] changes, int count, List<byte[]> bodies, int bytes, long through, bool hasMore)
    {
        _changes = changes;
        _count = count;
        _bodies = bodies;
        Bytes = bytes;
        Through = through;
        HasMore = hasMore;
    }

    /// <summary>
    /// Every wanted change up to and with this position is in this batch or lies before it; read on after it. Where
    /// nothing more is wanted it is the snapshot's last position, so that progress passes what the filter leaves out.
    /// </summary>
    public long Through { get; }

    /// <summary>Whether the snapshot has more wanted changes after these.</summary>
    public bool HasMore { get; }

    /// <summary>Bytes of bodies in the batch.</summary>
    public int Bytes { get; }

    /// <inheritdoc/>
    public int Count => _count;

    /// <inheritdoc/>
    public Change this[int index]
    {
        get
        {
            var changes = Open();
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)_count, nameof(index));
            return changes[index];
        }
    }

    /// <summary>Returns the memory.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _changes, null) is { } changes)
            Return(changes, _count, _bodies);
    }

    /// <inheritdoc/>
    public IEnumerator<Change> GetEnumerator() =>
        new ArraySegment<Change>(Open(), 0, _count).AsEnumerable().GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private Change[] Open()
    {
        var changes = _changes;
        ObjectDisposedException.ThrowIf(changes is null, this);
        return changes;
    }

    private static void Return(Change[] changes, int count, List<byte[]> bodies)
    {
        Array.Clear(changes, 0, count);
        ArrayPool<Change>.Shared.Return(changes);
        foreach (var chunk in bodies)
            ArrayPool<byte>.Shared.Return(chunk);
        bodies.Clear();
    }

    /// <summary>Collects changes. Bodies are copied into chunks that are never moved as more are added.</summary>
    internal sealed class Builder(DocumentStorage database, Transaction transaction, ChangeLimits limits)
    {
        private const int FirstChunkBytes = 16 * 1024;
        private const int ChunkBytes = 256 * 1024;
        private readonly List<byte[]> _bodies = [];
        private Change[] _changes = ArrayPool<Change>.Shared.Rent(Math.Min(limits.MaxCount, 64));
        private int _count;
        private int _used;
        private long _bytes;

        internal bool HasRoomFor(int bytes) =>
            _count == 0 || (_count < limits.MaxCount && _bytes + bytes <= limits.MaxBytes);

        internal long LastPosition => _count == 0 ? 0 : _changes[_count - 1].Position;

        internal void Add(long position, scoped DocumentRecord record)
        {
            if (_count == _changes.Length)
                Grow();
            _changes[_count++] = new Change(
                position,
                record.IsMoved ? ChangeKind.Leave
                    : record.IsDeleted ? ChangeKind.Delete
                    : ChangeKind.Put,
                System.Text.Encoding.UTF8.GetString(record.Id),
                CollectionNames.Name(record.CollectionId, transaction, database.Collections, database.Name),
                new DateTimeOffset(record.Ticks, TimeSpan.Zero),
                record.IsDeleted ? default : new BinaryJson(CopyBody(record))
            );
        }

        internal ChangeBatch Build(long through, bool hasMore) =>
            new(_changes, _count, _bodies, (int)_bytes, through, hasMore);

        internal void Abandon() => Return(_changes, _count, _bodies);

        private ReadOnlyMemory<byte> CopyBody(scoped in DocumentRecord record)
        {
            var length = database.Bodies.Length(record);
            if (_bodies.Count == 0 || length > _bodies[^1].Length - _used)
            {
                _bodies.Add(
                    ArrayPool<byte>.Shared.Rent(Math.Max(length, _bodies.Count == 0 ? FirstChunkBytes : ChunkBytes))
                );
                _used = 0;
            }

            var copy = _bodies[^1].AsMemory(_used, length);
            database.Bodies.Decode(transaction, record, copy.Span);
            _used += length;
            _bytes += length;
            return copy;
        }

        private void Grow()
        {
            var grown = ArrayPool<Change>.Shared.Rent((int)Math.Min(limits.MaxCount, _count * 4L));
            Array.Copy(_changes, grown, _count);
            Array.Clear(_changes, 0, _count);
            ArrayPool<Change>.Shared.Return(_changes);
            _changes = grown;
        }
    }
}
