using System.Buffers;
using System.Text.Json;
using Pipeline.Documents.Events;

namespace Pipeline.Documents.Transfer;

/// <summary>Writes all data of a snapshot except documents as <see cref="PartLines"/>. Not thread-safe.</summary>
/// <param name="snapshot">The snapshot.</param>
/// <param name="target">The target; full buffers are flushed between lines.</param>
/// <param name="flush">Writes out the target's content when it is large.</param>
/// <param name="except">What this snapshot has the same of is left out; null for nothing.</param>
internal sealed class PartLinesWriter(
    DatabaseSnapshot snapshot,
    ArrayBufferWriter<byte> target,
    Func<ValueTask> flush,
    DatabaseSnapshot? except = null
)
{
    private const int Snapshots = 4_096;

    /// <summary>Attachments of the documents, those of one collection or of all.</summary>
    internal async Task WriteAttachmentsAsync(string? collection, CancellationToken ct)
    {
        if (!snapshot.HasAttachments)
            return;
        var content = new byte[PartLines.ContentBytes];
        foreach (var document in snapshot.ScanInIdOrder(collection))
        {
            foreach (var attachment in snapshot.GetAttachments(document.Id))
            {
                if (except is not null && Has(except, attachment))
                    continue;
                var stream = snapshot.OpenAttachment(attachment);
                await using var closing = stream.ConfigureAwait(false);
                for (long offset = 0; offset < attachment.Size || offset == 0; )
                {
                    ct.ThrowIfCancellationRequested();
                    var length = await stream
                        .ReadAtLeastAsync(content, content.Length, throwOnEndOfStream: false, ct)
                        .ConfigureAwait(false);
                    Write(attachment, offset, content.AsSpan(0, length));
                    await flush().ConfigureAwait(false);
                    offset += length;
                    if (length == 0)
                        break;
                }
            }
        }
    }

    /// <summary>
    /// Events in order of position, and then the snapshots of their streams. Data sealed under a destroyed key is left
    /// out.
    /// </summary>
    internal async Task WriteEventsAsync(CancellationToken ct)
    {
        for (long after = 0; ; )
        {
            ct.ThrowIfCancellationRequested();
            using var batch = snapshot.ReadEvents(after);
            using var known = except is null ? null : new KnownEvents(except, after, batch.Through);
            for (var i = 0; i < batch.Count; i++)
            {
                if (!batch[i].IsKeyDestroyed && known?.Has(batch[i]) != true)
                    Write(batch[i]);
                await flush().ConfigureAwait(false);
            }

            after = batch.Through;
            if (!batch.HasMore)
                break;
        }

        IReadOnlyList<EventStreamInfo> streams;
        for (long after = 0; (streams = snapshot.ReadStreams(after, Snapshots)).Count > 0; after = streams[^1].Number)
        {
            foreach (var stream in streams)
            {
                ct.ThrowIfCancellationRequested();
                WriteSnapshots(stream.StreamId);
                await flush().ConfigureAwait(false);
            }
        }
    }

    internal async Task WriteCompareExchangeAsync(CancellationToken ct)
    {
        foreach (var value in snapshot.GetCompareExchangeByPrefix(""))
        {
            ct.ThrowIfCancellationRequested();
            if (
                except?.GetCompareExchange(value.Key) is { } same
                && same.Index == value.Index
                && same.Value.Data.Span.SequenceEqual(value.Value.Data.Span)
            )
            {
                continue;
            }
            var json = new ArrayBufferWriter<byte>();
            value.Value.WriteTo(json);
            Line(
                PartLines.CompareExchange,
                value.Key,
                w =>
                {
                    w.WritePropertyName("Value"u8);
                    w.WriteRawValue(json.WrittenSpan);
                }
            );
            await flush().ConfigureAwait(false);
        }
    }

    private static bool Has(DatabaseSnapshot other, Attachment attachment)
    {
        foreach (var known in other.GetAttachments(attachment.DocumentId))
        {
            if (known.Name == attachment.Name && known.Hash == attachment.Hash)
                return true;
        }
        return false;
    }

    private void Write(Attachment attachment, long offset, ReadOnlySpan<byte> content)
    {
        using var w = Begin(PartLines.Attachment, attachment.DocumentId);
        w.WriteString("Name"u8, attachment.Name);
        w.WriteString("ContentType"u8, attachment.ContentType);
        w.WriteString("Hash"u8, attachment.Hash);
        w.WriteNumber("Size"u8, attachment.Size);
        w.WriteNumber("Offset"u8, offset);
        w.WriteBase64String("Content"u8, content);
        End(w);
    }

    private void Write(StoredEvent item)
    {
        using var w = Begin(PartLines.Event, item.StreamId);
        w.WriteNumber("SequenceNumber"u8, item.SequenceNumber);
        w.WriteNumber("SerializerId"u8, item.SerializerId);
        w.WriteString("Manifest"u8, item.Manifest);
        w.WriteString("Writer"u8, item.Writer);
        w.WriteStartArray("Tags"u8);
        foreach (var tag in item.Tags)
            w.WriteStringValue(tag);
        w.WriteEndArray();
        w.WriteBase64String("Payload"u8, item.Payload.Span);
        End(w);
    }

    private void WriteSnapshots(string streamId)
    {
        try
        {
            for (
                var most = long.MaxValue;
                most >= 0 && snapshot.LoadSnapshot(streamId, StreamSnapshotCriteria.UpTo(most)) is { } found;
                most = found.SequenceNumber - 1
            )
            {
                if (
                    except?.LoadSnapshot(streamId, StreamSnapshotCriteria.UpTo(found.SequenceNumber)) is { } same
                    && same.SequenceNumber == found.SequenceNumber
                    && same.Payload.Span.SequenceEqual(found.Payload.Span)
                )
                {
                    continue;
                }
                Line(
                    PartLines.EventSnapshot,
                    streamId,
                    w =>
                    {
                        w.WriteNumber("SequenceNumber"u8, found.SequenceNumber);
                        w.WriteString("Timestamp"u8, found.Timestamp);
                        w.WriteNumber("SerializerId"u8, found.SerializerId);
                        w.WriteString("Manifest"u8, found.Manifest);
                        w.WriteBase64String("Payload"u8, found.Payload.Span);
                    }
                );
            }
        }
        catch (StreamKeyDestroyedException)
        {
            // Like its events, they are unreadable.
            return;
        }
    }

    private void Line(string type, string id, Action<Utf8JsonWriter> write)
    {
        using var w = Begin(type, id);
        write(w);
        End(w);
    }

    private Utf8JsonWriter Begin(string type, string id)
    {
        var w = new Utf8JsonWriter(target);
        w.WriteStartObject();
        w.WriteStartObject("@metadata"u8);
        w.WriteString(PartLines.TypeKey, type);
        w.WriteString("@id"u8, id);
        w.WriteEndObject();
        return w;
    }

    private void End(Utf8JsonWriter w)
    {
        w.WriteEndObject();
        w.Flush();
        target.Write("\n"u8);
    }
}
