using System.Buffers;
using System.Buffers.Binary;
using System.Text;

namespace Pipeline.Documents.Events;

/// <summary>
/// Writes the frames that event stores exchange over a network: numbers little-endian, texts and bytes with a length
/// prefix (4 bytes). Not thread-safe.
/// </summary>
/// <param name="target">Where to.</param>
public readonly struct EventFrameWriter(IBufferWriter<byte> target)
{
    /// <summary>Writes a number of 4 bytes.</summary>
    /// <param name="value">The number.</param>
    public void Int(int value)
    {
        BinaryPrimitives.WriteInt32LittleEndian(target.GetSpan(4), value);
        target.Advance(4);
    }

    /// <summary>Writes a number of 8 bytes.</summary>
    /// <param name="value">The number.</param>
    public void Long(long value)
    {
        BinaryPrimitives.WriteInt64LittleEndian(target.GetSpan(8), value);
        target.Advance(8);
    }

    /// <summary>Writes a text in UTF-8.</summary>
    /// <param name="value">The text.</param>
    public void Text(string value)
    {
        ArgumentNullException.ThrowIfNull(value);
        Int(Encoding.UTF8.GetByteCount(value));
        Encoding.UTF8.GetBytes(value, target);
    }

    /// <summary>Writes bytes.</summary>
    /// <param name="value">The bytes.</param>
    public void Bytes(ReadOnlySpan<byte> value)
    {
        Int(value.Length);
        target.Write(value);
    }

    /// <summary>Writes texts.</summary>
    /// <param name="values">The texts; null and empty differ.</param>
    public void Texts(IReadOnlyList<string>? values)
    {
        Int(values?.Count ?? -1);
        foreach (var value in values ?? [])
            Text(value);
    }

    /// <summary>Writes an event to append, without its document.</summary>
    /// <param name="data">The event.</param>
    public void Event(EventData data)
    {
        ArgumentNullException.ThrowIfNull(data);
        Long(data.SequenceNumber);
        Int(data.SerializerId);
        Text(data.Manifest);
        Text(data.Writer);
        Texts(data.Tags);
        Bytes(data.Payload.Span);
    }

    /// <summary>Writes events that were read.</summary>
    /// <param name="batch">The events.</param>
    public void Batch(EventBatch batch)
    {
        ArgumentNullException.ThrowIfNull(batch);
        Long(batch.Through);
        Int(batch.HasMore ? 1 : 0);
        Int(batch.Count);
        for (var i = 0; i < batch.Count; i++)
        {
            var item = batch[i];
            Long(item.Position);
            Text(item.StreamId);
            Long(item.SequenceNumber);
            Long(item.Timestamp.UtcTicks);
            Int(item.SerializerId);
            Text(item.Manifest);
            Text(item.Writer);
            Texts(item.Tags);
            Bytes(item.Payload.Span);
            Int(item.IsKeyDestroyed ? 1 : 0);
        }
    }

    /// <summary>Writes a filter.</summary>
    /// <param name="filter">The filter.</param>
    public void Filter(EventFilter filter)
    {
        ArgumentNullException.ThrowIfNull(filter);
        Texts(filter.AnyTags);
        Texts(filter.AllTags);
        Long(filter.From?.UtcTicks ?? -1);
        Long(filter.Until?.UtcTicks ?? -1);
    }

    /// <summary>Writes a snapshot.</summary>
    /// <param name="snapshot">The snapshot.</param>
    public void Snapshot(StreamSnapshot snapshot)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        Long(snapshot.SequenceNumber);
        Long(snapshot.Timestamp.UtcTicks);
        Int(snapshot.SerializerId);
        Text(snapshot.Manifest);
        Bytes(snapshot.Payload.Span);
    }

    /// <summary>Writes criteria.</summary>
    /// <param name="criteria">The criteria.</param>
    public void Criteria(StreamSnapshotCriteria criteria)
    {
        Long(criteria.MaxSequence);
        Long(criteria.MaxTime.UtcTicks);
        Long(criteria.MinSequence);
        Long(criteria.MinTime.UtcTicks);
    }
}
