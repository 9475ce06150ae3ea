using System.Buffers;
using System.Collections;
using System.Runtime.InteropServices;
using Pipeline.Database.Json;
using Pipeline.Storage;

namespace Pipeline.Database;

/// <summary>
/// Some consecutive changes of a feed, in order of position. The bodies lie in one pooled buffer, which goes back at disposal:
/// no body may be used after that. Reading is thread-safe; disposal is not.
/// </summary>
public sealed class ChangeBatch : IReadOnlyList<Change>, IDisposable
{
    private readonly List<Change> _changes;
    private byte[]? _buffer;

    internal ChangeBatch(List<Change> changes, byte[]? buffer, int bytes, long through, bool hasMore)
    {
        _changes = changes;
        _buffer = buffer;
        Bytes = bytes;
        Through = through;
        HasMore = hasMore;
    }

    /// <summary>
    /// Every wanted change up to and with this position is in this batch or lies before it; read on after it. Where nothing more
    /// is wanted it is the snapshot's last position, so that progress passes what the filter leaves out.
    /// </summary>
    public long Through { get; }

    /// <summary>Whether the snapshot has more wanted changes after these.</summary>
    public bool HasMore { get; }

    /// <summary>Bytes of bodies in the batch.</summary>
    public int Bytes { get; }

    /// <inheritdoc/>
    public int Count => _changes.Count;

    /// <inheritdoc/>
    public Change this[int index]
    {
        get
        {
            ObjectDisposedException.ThrowIf(_buffer is null, this);
            return _changes[index];
        }
    }

    /// <summary>Returns the buffer.</summary>
    public void Dispose()
    {
        byte[]? buffer = Interlocked.Exchange(ref _buffer, null);
        if (buffer is { Length: > 0 }) ArrayPool<byte>.Shared.Return(buffer);
    }

    /// <inheritdoc/>
    public IEnumerator<Change> GetEnumerator()
    {
        ObjectDisposedException.ThrowIf(_buffer is null, this);
        return _changes.GetEnumerator();
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Collects changes; their bodies get their memory when the buffer has stopped growing.</summary>
    internal sealed class Builder(DocumentDatabase database, Transaction transaction, ChangeLimits limits)
    {
        private readonly List<Change> _changes = new(Math.Min(limits.MaxCount, 256));
        private readonly List<(int Start, int Length)> _bodies = new(Math.Min(limits.MaxCount, 256));
        private byte[] _buffer = [];
        private int _used;

        internal bool HasRoomFor(int bytes) => _changes.Count == 0 || (_changes.Count < limits.MaxCount && (long)_used + bytes <= limits.MaxBytes);

        internal long LastPosition => _changes.Count == 0 ? 0 : _changes[^1].Position;

        internal void Add(long position, scoped DocumentRecord record)
        {
            ReadOnlySpan<byte> body = record.IsDeleted ? default : record.Body;
            if (_buffer.Length - _used < body.Length) Grow(body.Length);
            body.CopyTo(_buffer.AsSpan(_used));
            _bodies.Add((_used, body.Length));
            _used += body.Length;
            _changes.Add(new Change(
                position,
                record.IsMoved ? ChangeKind.Leave : record.IsDeleted ? ChangeKind.Delete : ChangeKind.Put,
                System.Text.Encoding.UTF8.GetString(record.Id),
                CollectionNames.Name(record.CollectionId, transaction, database.Collections, database.Name),
                new DateTimeOffset(record.Ticks, TimeSpan.Zero),
                default));
        }

        internal ChangeBatch Build(long through, bool hasMore)
        {
            Span<Change> changes = CollectionsMarshal.AsSpan(_changes);
            for (int i = 0; i < changes.Length; i++)
            {
                (int start, int length) = _bodies[i];
                if (length > 0) changes[i] = changes[i] with { Body = new BinaryJson(_buffer.AsMemory(start, length)) };
            }

            return new ChangeBatch(_changes, _buffer, _used, through, hasMore);
        }

        internal void Abandon()
        {
            if (_buffer.Length > 0) ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = [];
        }

        private void Grow(int more)
        {
            byte[] grown = ArrayPool<byte>.Shared.Rent((int)Math.Min(Array.MaxLength, Math.Max(_used + (long)more, Math.Max(16 * 1024, _buffer.Length * 2L))));
            _buffer.AsSpan(0, _used).CopyTo(grown);
            Abandon();
            _buffer = grown;
        }
    }
}
