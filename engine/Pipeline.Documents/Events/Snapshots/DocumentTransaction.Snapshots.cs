using System.Text;
using Pipeline.Documents.Events;
using Pipeline.Storage;

namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
    /// <summary>Saves a snapshot of a stream, in place of one with the same number.</summary>
    /// <param name="streamId">The stream, which need not have events.</param>
    /// <param name="snapshot">The snapshot.</param>
    /// <param name="retention">What goes in the same commit; null for nothing.</param>
    /// <exception cref="InvalidEventException">The id or the manifest is over a limit.</exception>
    /// <exception cref="StreamKeyDestroyedException">The stream's key was destroyed.</exception>
    public void SaveSnapshot(string streamId, StreamSnapshot snapshot, SnapshotRetention? retention = null)
    {
        CheckOpen();
        ArgumentNullException.ThrowIfNull(snapshot);
        Span<byte> utf8 = stackalloc byte[EventKeys.MaxStreamIdBytes];
        utf8 = utf8[..EventKeys.EncodeStreamId(streamId, utf8)];
        var manifest = Encoding.UTF8.GetBytes(snapshot.Manifest);
        if (manifest.Length > EventKeys.MaxManifestBytes)
        {
            throw new InvalidEventException(
                $"The manifest of snapshot {snapshot.SequenceNumber} of '{streamId}' has {manifest.Length} bytes of UTF-8; {EventKeys.MaxManifestBytes} are allowed."
            );
        }

        var payload = snapshot.Payload.Span;
        byte flags = 0;
        if (_database.Events.IsEncrypted(streamId))
        {
            payload = PayloadCipher.Seal(
                _database.Events.GetKey(streamId),
                streamId,
                PayloadCipher.SnapshotNumber(snapshot.SequenceNumber),
                payload
            );
            flags = SnapshotRecord.Encrypted;
        }

        OpenEventTrees();
        GetOrAddStream(utf8);
        var before = Changes;
        var tree = _transaction.CreateTree(DatabaseTrees.StreamSnapshots);
        Span<byte> key = stackalloc byte[EventKeys.MaxSnapshotKeyBytes];
        SnapshotRecord.Write(
            tree.Reserve(
                key[..EventKeys.WriteSnapshot(key, utf8, snapshot.SequenceNumber)],
                checked(SnapshotRecord.HeaderBytes + manifest.Length + payload.Length)
            ),
            flags,
            snapshot.Timestamp.UtcTicks,
            snapshot.SerializerId,
            manifest,
            payload
        );
        if (retention?.Keep is not { } keep)
            return;
        try
        {
            Retain(streamId, utf8, tree, Math.Max(1, keep), retention.DeleteEvents);
        }
        catch (Exception e) when (NoteError(e, before))
        {
            throw;
        }
    }

    /// <summary>Deletes snapshots of a stream.</summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="criteria">Which.</param>
    /// <param name="most">How many, at most, so that the commit stays small.</param>
    /// <returns>How many were deleted.</returns>
    public int DeleteSnapshots(string streamId, StreamSnapshotCriteria criteria, int most = 2_000)
    {
        CheckOpen();
        Span<byte> utf8 = stackalloc byte[EventKeys.MaxStreamIdBytes];
        utf8 = utf8[..EventKeys.EncodeStreamId(streamId, utf8)];
        if (!_transaction.TryOpenTree(DatabaseTrees.StreamSnapshots, out var tree))
            return 0;
        var keys = new List<byte[]>();
        Span<byte> from = stackalloc byte[EventKeys.MaxSnapshotKeyBytes];
        using (var cursor = tree.OpenCursor())
        {
            for (
                var any = cursor.Seek(from[..EventKeys.WriteSnapshot(from, utf8, criteria.MinSequence)]);
                any
                    && keys.Count < most
                    && EventKeys.IsOfTag(cursor.Key, utf8)
                    && DocumentKeys.ReadPosition(cursor.Key[^8..]) <= criteria.MaxSequence;
                any = cursor.MoveNext()
            )
            {
                if (criteria.MatchesTime(new SnapshotRecord(cursor.Value, _database.Name).Ticks))
                    keys.Add(cursor.Key.ToArray());
            }
        }

        foreach (var key in keys)
            tree.Delete(key);
        return keys.Count;
    }

    private void Retain(string streamId, ReadOnlySpan<byte> utf8, Tree tree, int keep, bool deleteEvents)
    {
        var over = new List<byte[]>();
        long oldest = 0;
        var seen = 0;
        Span<byte> end = stackalloc byte[EventKeys.MaxSnapshotKeyBytes];
        end = end[..EventKeys.WriteSnapshot(end, utf8, long.MaxValue)];
        using (var cursor = tree.OpenCursor())
        {
            var any = cursor.Seek(end)
                ? EventKeys.IsOfTag(cursor.Key, utf8) || cursor.MovePrevious()
                : cursor.SeekLast();
            for (; any && EventKeys.IsOfTag(cursor.Key, utf8) && over.Count < 64; any = cursor.MovePrevious())
            {
                if (++seen <= keep)
                    oldest = DocumentKeys.ReadPosition(cursor.Key[^8..]);
                else
                    over.Add(cursor.Key.ToArray());
            }
        }

        foreach (var key in over)
            tree.Delete(key);
        if (deleteEvents && seen >= keep && oldest > 0)
            DeleteEvents(streamId, oldest, _database.Events.DeleteBatch);
    }
}
