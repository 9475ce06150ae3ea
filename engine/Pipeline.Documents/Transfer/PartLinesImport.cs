using System.Security.Cryptography;
using System.Text.Json;
using Pipeline.Documents.Events;
using Pipeline.Json;

namespace Pipeline.Documents.Transfer;

/// <summary>
/// Reads <see cref="PartLines"/>, one after the other, and stores their content; without a database it only checks that
/// they are complete. Storing them again changes nothing. Not thread-safe.
/// </summary>
/// <param name="database">The target; null to store nothing.</param>
internal sealed class PartLinesImport(DocumentStorage? database) : IAsyncDisposable
{
    private const int EventsOfACommit = 1_000;
    private const long BytesOfACommit = 4 * 1024 * 1024;
    private const int MaxInMemory = 4 * 1024 * 1024;
    private readonly List<(string StreamId, EventData Data)> _events = [];
    private long _eventBytes;
    private Stream? _content;
    private IncrementalHash? _hash;
    private (string Id, string Name, string ContentType, string Hash, long Size, long Offset) _attachment;

    /// <summary>Takes a line.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="line">The line.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="PartLineException">It is not whole, or cannot be stored.</exception>
    internal async Task AddAsync(string type, ReadOnlyMemory<byte> line, CancellationToken ct)
    {
        try
        {
            using var json = JsonDocument.Parse(line);
            var root = json.RootElement;
            var id = Text(root.GetProperty("@metadata"), "@id");
            if (type != PartLines.Attachment)
                CheckNoneIsOpen();
            if (type != PartLines.Event)
                await FlushEventsAsync(ct).ConfigureAwait(false);
            switch (type)
            {
                case PartLines.Attachment:
                    await AddAttachmentAsync(id, root, ct).ConfigureAwait(false);
                    break;
                case PartLines.Event:
                    await AddEventAsync(id, root, ct).ConfigureAwait(false);
                    break;
                case PartLines.EventSnapshot:
                    var state = new StreamSnapshot
                    {
                        SequenceNumber = root.GetProperty("SequenceNumber").GetInt64(),
                        Timestamp = root.GetProperty("Timestamp").GetDateTimeOffset(),
                        SerializerId = root.GetProperty("SerializerId").GetInt32(),
                        Manifest = Text(root, "Manifest"),
                        Payload = root.GetProperty("Payload").GetBytesFromBase64(),
                    };
                    if (database is not null)
                        await database.WriteAsync(t => t.SaveSnapshot(id, state, null), ct).ConfigureAwait(false);
                    break;
                case PartLines.CompareExchange:
                    var value = BinaryJson.Parse(JsonSerializer.SerializeToUtf8Bytes(root.GetProperty("Value")));
                    if (database is not null)
                    {
                        await database
                            .WriteAsync(t => t.PutCompareExchange(id, value, t.GetCompareExchange(id)?.Index ?? 0), ct)
                            .ConfigureAwait(false);
                    }

                    break;
                default:
                    throw new PartLineException($"'{type}' is not a kind of line that this version knows");
            }
        }
        catch (Exception e)
            when (e is JsonException or KeyNotFoundException or FormatException or InvalidOperationException)
        {
            throw new PartLineException($"it is not a complete line of the kind '{type}': {e.Message.TrimEnd('.')}", e);
        }
        catch (Exception e) when (e is AttachmentException || CannotBeStored(e))
        {
            throw new PartLineException(e.Message.TrimEnd('.'), e);
        }
    }

    /// <summary>Stores the collected data.</summary>
    /// <exception cref="PartLineException">An attachment is not whole, or events cannot be stored.</exception>
    internal async Task FlushAsync(CancellationToken ct)
    {
        CheckNoneIsOpen();
        try
        {
            await FlushEventsAsync(ct).ConfigureAwait(false);
        }
        catch (Exception e) when (CannotBeStored(e))
        {
            throw new PartLineException(e.Message.TrimEnd('.'), e);
        }
    }

    public async ValueTask DisposeAsync()
    {
        _hash?.Dispose();
        if (_content is not null)
            await _content.DisposeAsync().ConfigureAwait(false);
    }

    private static string Text(JsonElement root, string name) => root.GetProperty(name).GetString() ?? "";

    private async Task AddAttachmentAsync(string id, JsonElement root, CancellationToken ct)
    {
        var part = (
            Id: id,
            Name: Text(root, "Name"),
            ContentType: Text(root, "ContentType"),
            Hash: Text(root, "Hash"),
            Size: root.GetProperty("Size").GetInt64(),
            Offset: root.GetProperty("Offset").GetInt64()
        );
        var content = root.GetProperty("Content").GetBytesFromBase64();
        if (_hash is null)
        {
            if (part.Offset != 0)
            {
                throw new PartLineException(
                    $"the attachment '{part.Name}' of '{id}' lacks its first {part.Offset:N0} bytes"
                );
            }

            _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
            _attachment = part;
            if (database is not null)
            {
                _content =
                    part.Size <= MaxInMemory
                        ? new MemoryStream()
                        : new FileStream(
                            Path.GetTempFileName(),
                            FileMode.Create,
                            FileAccess.ReadWrite,
                            FileShare.None,
                            1 << 16,
                            FileOptions.DeleteOnClose | FileOptions.Asynchronous
                        );
            }
        }
        else if (part != _attachment)
        {
            CheckNoneIsOpen();
        }

        _hash.AppendData(content);
        if (_content is not null)
            await _content.WriteAsync(content, ct).ConfigureAwait(false);
        _attachment.Offset += content.Length;
        if (_attachment.Offset < _attachment.Size && content.Length > 0)
            return;
        await EndAttachmentAsync(ct).ConfigureAwait(false);
    }

    private async Task EndAttachmentAsync(CancellationToken ct)
    {
        (var content, var hash) = (_content, _hash!);
        (_content, _hash) = (null, null);
        using (hash)
        {
            try
            {
                if (
                    _attachment.Offset != _attachment.Size
                    || Convert.ToBase64String(hash.GetHashAndReset()) != _attachment.Hash
                )
                {
                    throw new PartLineException(
                        $"the attachment '{_attachment.Name}' of '{_attachment.Id}' is not what its checksum says"
                    );
                }

                if (content is null)
                    return;
                content.Position = 0;
                await database!
                    .Attachments.PutAsync(_attachment.Id, _attachment.Name, content, _attachment.ContentType, ct: ct)
                    .ConfigureAwait(false);
            }
            finally
            {
                if (content is not null)
                    await content.DisposeAsync().ConfigureAwait(false);
            }
        }
    }

    private void CheckNoneIsOpen()
    {
        if (_hash is null)
            return;
        _hash.Dispose();
        _hash = null;
        _content?.Dispose();
        _content = null;
        throw new PartLineException(
            $"the attachment '{_attachment.Name}' of '{_attachment.Id}' ends before it after {_attachment.Offset:N0} of {_attachment.Size:N0} bytes"
        );
    }

    private async Task AddEventAsync(string streamId, JsonElement root, CancellationToken ct)
    {
        var data = new EventData
        {
            SequenceNumber = root.GetProperty("SequenceNumber").GetInt64(),
            SerializerId = root.GetProperty("SerializerId").GetInt32(),
            Manifest = Text(root, "Manifest"),
            Writer = Text(root, "Writer"),
            Tags = [.. root.GetProperty("Tags").EnumerateArray().Select(t => t.GetString() ?? "")],
            Payload = root.GetProperty("Payload").GetBytesFromBase64(),
        };
        if (database is null)
            return;
        _events.Add((streamId, data));
        _eventBytes += data.Payload.Length;
        if (_events.Count >= EventsOfACommit || _eventBytes >= BytesOfACommit)
            await FlushEventsAsync(ct).ConfigureAwait(false);
    }

    private async Task FlushEventsAsync(CancellationToken ct)
    {
        if (database is null || _events.Count == 0)
            return;
        (string StreamId, EventData Data)[] events = [.. _events];
        _events.Clear();
        _eventBytes = 0;
        try
        {
            await StoreAsync(database, events, ct).ConfigureAwait(false);
        }
        catch (Exception e) when (events.Length > 1 && CannotBeStored(e))
        {
            await StoreEachAsync(database, events, ct).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Stores events one by one, so that one that cannot be stored does not take the others of its commit with it.
    /// </summary>
    /// <exception cref="PartLineException">Some cannot be stored; all others are.</exception>
    private async Task StoreEachAsync(
        DocumentStorage target,
        (string StreamId, EventData Data)[] events,
        CancellationToken ct
    )
    {
        var failed = 0;
        Exception? first = null;
        foreach (var one in events)
        {
            try
            {
                await StoreAsync(target, [one], ct).ConfigureAwait(false);
            }
            catch (Exception e) when (CannotBeStored(e))
            {
                failed++;
                first ??= e;
            }
        }

        if (first is not null)
        {
            throw new PartLineException(
                $"{failed:N0} of the last {events.Length:N0} events cannot be stored; the first: {first.Message.TrimEnd('.')}",
                first
            );
        }
    }

    private Task StoreAsync(DocumentStorage target, (string StreamId, EventData Data)[] events, CancellationToken ct)
    {
        foreach (var stream in events.Select(e => e.StreamId).Distinct(StringComparer.Ordinal))
            target.Events.EnsureKey(stream);
        return target.WriteAsync(
            t =>
            {
                foreach ((var stream, var data) in events)
                    t.AppendEvents(stream, [WithDocument(t, stream, data)]);
            },
            ct
        );
    }

    private static bool CannotBeStored(Exception e) =>
        e is InvalidEventException or EventConflictException or StreamKeyDestroyedException;

    /// <summary>
    /// A new event whose document came among the documents gets it as its own: the two go together from then on.
    /// </summary>
    private EventData WithDocument(DocumentTransaction transaction, string streamId, EventData data)
    {
        var id = EventDocumentId.Of(streamId, data.SequenceNumber);
        if (
            transaction.GetHighestSequence(streamId) >= data.SequenceNumber
            || !transaction.TryGet(id, out var there)
            || database!.Events.IsEncrypted(streamId)
        )
        {
            return data;
        }

        if (EventDocument.TryMake(streamId, data, there.Collection, database.Limits) is not { } document)
            return data;
        transaction.Delete(id);
        return data with { Document = document };
    }
}
