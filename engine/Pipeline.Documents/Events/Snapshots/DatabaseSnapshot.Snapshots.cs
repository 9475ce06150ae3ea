using System.Text;
using Pipeline.Documents.Events;

namespace Pipeline.Documents;

public sealed partial class DatabaseSnapshot
{
    /// <summary>The newest snapshot of a stream that meets criteria.</summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="criteria">The criteria.</param>
    /// <returns>The snapshot; null if there is none.</returns>
    /// <exception cref="StreamKeyDestroyedException">The stream's key was destroyed.</exception>
    public StreamSnapshot? LoadSnapshot(string streamId, StreamSnapshotCriteria criteria)
    {
        CheckOpen();
        Span<byte> utf8 = stackalloc byte[EventKeys.MaxStreamIdBytes];
        utf8 = utf8[..EventKeys.EncodeStreamId(streamId, utf8)];
        if (!_transaction.TryOpenTree(DatabaseTrees.StreamSnapshots, out var tree))
            return null;
        Span<byte> key = stackalloc byte[EventKeys.MaxSnapshotKeyBytes];
        key = key[..EventKeys.WriteSnapshot(key, utf8, criteria.MaxSequence)];
        using var cursor = tree.OpenCursor();
        var any = cursor.Seek(key) ? cursor.Key.SequenceEqual(key) || cursor.MovePrevious() : cursor.SeekLast();
        for (
            ;
            any
                && EventKeys.IsOfTag(cursor.Key, utf8)
                && DocumentKeys.ReadPosition(cursor.Key[^8..]) is var sequence
                && sequence >= criteria.MinSequence;
            any = cursor.MovePrevious()
        )
        {
            var record = new SnapshotRecord(cursor.Value, _database.Name);
            if (!criteria.MatchesTime(record.Ticks))
                continue;
            return new StreamSnapshot
            {
                SequenceNumber = sequence,
                Timestamp = new DateTimeOffset(record.Ticks, TimeSpan.Zero),
                SerializerId = record.SerializerId,
                Manifest = Encoding.UTF8.GetString(record.Manifest),
                Payload = ReadPayload(streamId, sequence, record),
            };
        }

        return null;
    }

    private byte[] ReadPayload(string streamId, long sequence, scoped in SnapshotRecord record)
    {
        if (!record.IsEncrypted)
            return record.Payload.ToArray();
        return _database.Events.TryGetKey(streamId, out var key)
            ? PayloadCipher.Open(key, streamId, PayloadCipher.SnapshotNumber(sequence), record.Payload, _database.Name)
            : throw new StreamKeyDestroyedException(streamId);
    }
}
