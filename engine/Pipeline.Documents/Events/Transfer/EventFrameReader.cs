using System.Buffers;
using System.Buffers.Binary;
using System.Text;

namespace Pipeline.Documents.Events;

/// <summary>
/// Reads the frames of <see cref="EventFrameWriter"/>. Payloads refer to the input bytes. Not thread-safe.
/// </summary>
/// <param name="source">The bytes.</param>
public struct EventFrameReader(ReadOnlyMemory<byte> source)
{
    private const int MaxItems = 1 << 20;
    private ReadOnlyMemory<byte> _rest = source;

    /// <summary>Whether everything is read.</summary>
    public readonly bool IsAtEnd => _rest.IsEmpty;

    /// <summary>Reads a number of 4 bytes.</summary>
    /// <exception cref="FormatException">The bytes end before.</exception>
    public int Int() => BinaryPrimitives.ReadInt32LittleEndian(Take(4).Span);

    /// <summary>Reads a number of 8 bytes.</summary>
    /// <exception cref="FormatException">The bytes end before.</exception>
    public long Long() => BinaryPrimitives.ReadInt64LittleEndian(Take(8).Span);

    /// <summary>Reads a text.</summary>
    /// <exception cref="FormatException">The bytes end before.</exception>
    public string Text() => Encoding.UTF8.GetString(Take(Int()).Span);

    /// <summary>Reads bytes.</summary>
    /// <exception cref="FormatException">The bytes end before.</exception>
    public ReadOnlyMemory<byte> Bytes() => Take(Int());

    /// <summary>Reads how many items follow.</summary>
    /// <exception cref="FormatException">That cannot be.</exception>
    public int Count() =>
        Int() is >= -1 and <= MaxItems and var count
            ? count
            : throw new FormatException("A count of items is out of range.");

    /// <summary>Reads texts.</summary>
    /// <exception cref="FormatException">The bytes end before.</exception>
    public IReadOnlyList<string>? Texts()
    {
        var count = Count();
        if (count < 0)
            return null;
        var texts = new List<string>(Math.Min(count, 64));
        while (count-- > 0)
            texts.Add(Text());
        return texts;
    }

    /// <summary>Reads an event to append.</summary>
    /// <exception cref="FormatException">The bytes are none.</exception>
    public EventData Event() =>
        new()
        {
            SequenceNumber = Long(),
            SerializerId = Int(),
            Manifest = Text(),
            Writer = Text(),
            Tags = Texts() ?? [],
            Payload = Bytes(),
        };

    /// <summary>Reads events that were read elsewhere; their payloads are good as long as the bytes.</summary>
    /// <exception cref="FormatException">The bytes are none.</exception>
    public EventBatch Batch()
    {
        (var through, var hasMore, var count) = (Long(), Int() != 0, Count());
        var events = ArrayPool<StoredEvent>.Shared.Rent(Math.Max(1, count));
        for (var i = 0; i < count; i++)
        {
            events[i] = new StoredEvent(
                Long(),
                Text(),
                Long(),
                Time(Long()),
                Int(),
                Text(),
                Text(),
                Texts() ?? [],
                Bytes(),
                Int() != 0
            );
        }

        return new EventBatch(events, Math.Max(0, count), [], through, hasMore);
    }

    /// <summary>Reads a filter.</summary>
    /// <exception cref="FormatException">The bytes are none.</exception>
    public EventFilter Filter() =>
        new()
        {
            AnyTags = Texts(),
            AllTags = Texts(),
            From = OptionalTime(Long()),
            Until = OptionalTime(Long()),
        };

    /// <summary>Reads a snapshot.</summary>
    /// <exception cref="FormatException">The bytes are none.</exception>
    public StreamSnapshot Snapshot() =>
        new()
        {
            SequenceNumber = Long(),
            Timestamp = Time(Long()),
            SerializerId = Int(),
            Manifest = Text(),
            Payload = Bytes(),
        };

    /// <summary>Reads criteria.</summary>
    /// <exception cref="FormatException">The bytes are none.</exception>
    public StreamSnapshotCriteria Criteria() => new(Long(), Time(Long()), Long(), Time(Long()));

    private static DateTimeOffset Time(long ticks) =>
        ticks >= 0 && ticks <= DateTimeOffset.MaxValue.UtcTicks
            ? new DateTimeOffset(ticks, TimeSpan.Zero)
            : throw new FormatException($"{ticks} is not a time.");

    private static DateTimeOffset? OptionalTime(long ticks) => ticks == -1 ? null : Time(ticks);

    private ReadOnlyMemory<byte> Take(int length)
    {
        if (length < 0 || length > _rest.Length)
            throw new FormatException($"{length} bytes are announced and {_rest.Length} are there.");
        var taken = _rest[..length];
        _rest = _rest[length..];
        return taken;
    }
}
