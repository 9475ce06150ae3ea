using System.Buffers;
using System.IO.Pipelines;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Server.Answers;
using Pipeline.Subscriptions;

namespace Pipeline.Server.Subscriptions;

/// <summary>
/// Sends batches. A slow client delays only itself: messages are made at the time of sending, and no snapshot stays
/// open between them.
/// </summary>
internal sealed class SubscriptionSender(DocumentDatabase database, PipeWriter output)
{
    /// <summary>How many bytes are made before they are sent.</summary>
    private const int SendBytes = 64 << 10;

    /// <summary>Sends a batch and its includes.</summary>
    public async ValueTask SendAsync(SubscriptionBatch batch, CancellationToken ct)
    {
        for (var next = 0; next < batch.Count; )
        {
            next = WriteSome(batch, next);
            await FlushAsync(ct).ConfigureAwait(false);
        }
        if (batch.Includes.Count > 0)
            WriteIncludes(batch);
        output.Write(TcpMessages.EndOfBatch.Span);
        await FlushAsync(ct).ConfigureAwait(false);
    }

    /// <summary>Sends a message.</summary>
    public async ValueTask SendAsync(ReadOnlyMemory<byte> message, CancellationToken ct)
    {
        output.Write(message.Span);
        await FlushAsync(ct).ConfigureAwait(false);
    }

    private async ValueTask FlushAsync(CancellationToken ct)
    {
        var flushed = await output.FlushAsync(ct).ConfigureAwait(false);
        if (flushed.IsCompleted)
            throw new OperationCanceledException("The client is gone.");
    }

    private int WriteSome(SubscriptionBatch batch, int next)
    {
        using var snapshot = database.OpenSnapshot("subscription batch");
        while (next < batch.Count && output.UnflushedBytes < SendBytes)
        {
            output.Write("{\"Type\":\"Data\",\"Data\":"u8);
            Write(snapshot, batch[next++]);
            output.Write("}"u8);
        }
        return next;
    }

    /// <summary>
    /// Writes an item. A projection's output has no metadata, which clients need, so it gets the change's.
    /// </summary>
    private void Write(DatabaseSnapshot snapshot, SubscriptionItem item)
    {
        if (item.Projected.IsEmpty)
        {
            item.WriteJson(snapshot, output);
            return;
        }
        var metadata = new ArrayBufferWriter<byte>();
        snapshot.WriteJson(item.ToChange() with { Body = default }, metadata);
        output.Write(metadata.WrittenSpan[..^2]);
        output.Write(",\"@projection\":true}"u8);
        var made = item.Projected.Span;
        if (made is not [(byte)'{', ..])
        {
            output.Write(",\"Value\":"u8);
            output.Write(made);
            output.Write("}"u8);
            return;
        }
        output.Write(made is [(byte)'{', (byte)'}'] ? ""u8 : ","u8);
        output.Write(made[1..]);
    }

    private void WriteIncludes(SubscriptionBatch batch)
    {
        using var answer = new JsonAnswer();
        answer.Json.WriteStartObject();
        answer.Json.WriteString("Type", "Includes");
        answer.Json.WriteStartObject("Includes");
        foreach (var (id, document) in batch.Includes)
        {
            answer.Json.WritePropertyName(id);
            answer.Document(document);
        }
        answer.Json.WriteEndObject();
        answer.Json.WriteEndObject();
        output.Write(answer.Complete().Span);
    }
}
