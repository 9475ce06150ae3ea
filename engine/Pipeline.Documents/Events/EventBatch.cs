using System.Buffers;
using System.Collections;

namespace Pipeline.Documents.Events;

/// <summary>
/// Some consecutive events of a stream, or of all. Payloads lie in pooled memory, which goes back at disposal: none may
/// be used after that. Reading is thread-safe; disposal is not.
/// </summary>
public sealed class EventBatch : IReadOnlyList<StoredEvent>, IDisposable
{
    private readonly int _count;
    private readonly List<byte[]> _payloads;
    private StoredEvent[]? _events;

    internal EventBatch(StoredEvent[] events, int count, List<byte[]> payloads, long through, bool hasMore)
    {
        _events = events;
        _count = count;
        _payloads = payloads;
        Through = through;
        HasMore = hasMore;
    }

    /// <summary>
    /// Where to continue: every matching event up to and including this position (of one stream: this number) is in
    /// this batch or before it. When there are no more, a read by position gives the snapshot's last position, so that
    /// progress passes the events that the filter skips. Backwards, continue before this position.
    /// </summary>
    public long Through { get; }

    /// <summary>Whether the snapshot has more wanted events after these.</summary>
    public bool HasMore { get; }

    /// <inheritdoc/>
    public int Count => _count;

    /// <inheritdoc/>
    public StoredEvent this[int index]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)_count, nameof(index));
            return Open()[index];
        }
    }

    /// <summary>Returns the memory.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _events, null) is { } events)
            Return(events, _count, _payloads);
    }

    /// <inheritdoc/>
    public IEnumerator<StoredEvent> GetEnumerator() =>
        new ArraySegment<StoredEvent>(Open(), 0, _count).AsEnumerable().GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal static void Return(StoredEvent[] events, int count, List<byte[]> payloads)
    {
        Array.Clear(events, 0, count);
        ArrayPool<StoredEvent>.Shared.Return(events);
        foreach (var chunk in payloads)
            ArrayPool<byte>.Shared.Return(chunk);
        payloads.Clear();
    }

    private StoredEvent[] Open()
    {
        var events = _events;
        ObjectDisposedException.ThrowIf(events is null, this);
        return events;
    }
}
