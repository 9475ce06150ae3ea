using System.IO.Pipelines;
using System.Text.Json;

namespace Pipeline.Client.Transport;

/// <summary>One request whose body grows with the documents. It begins with the first of them.</summary>
/// <param name="send">Sends the body and returns once the server has stored all of it.</param>
internal sealed class HttpBulkWriter(Func<HttpContent, CancellationToken, Task> send) : IBulkWriter
{
    private readonly Pipe _body = new();
    private readonly CancellationTokenSource _stop = new();
    private Utf8JsonWriter? _json;
    private Task _sending = Task.CompletedTask;
    private long _count;

    public async ValueTask WriteAsync(string id, ReadOnlyMemory<byte> json, CancellationToken cancellationToken)
    {
        if (_json is null)
        {
            _json = new Utf8JsonWriter(_body.Writer);
            _json.WriteStartArray();
            _sending = SendAsync();
        }

        _json.WriteStartObject();
        _json.WriteString("Id"u8, id);
        _json.WriteString("Type"u8, "PUT"u8);
        _json.WritePropertyName("Document"u8);
        _json.WriteRawValue(json.Span, skipInputValidation: true);
        _json.WriteEndObject();
        _json.Flush();
        _count++;
        var flushed = await _body.Writer.FlushAsync(cancellationToken).ConfigureAwait(false);
        if (!flushed.IsCompleted)
            return;
        await FinishAsync().ConfigureAwait(false);
        throw new BulkInsertException($"the server ended the bulk insert after it was sent {_count} documents", null);
    }

    public async Task CompleteAsync(CancellationToken cancellationToken)
    {
        if (_json is null)
            return;
        _json.WriteEndArray();
        _json.Flush();
        await _body.Writer.CompleteAsync().ConfigureAwait(false);
        using (cancellationToken.Register(_stop.Cancel))
            await FinishAsync().ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _body.Writer.CompleteAsync().ConfigureAwait(false);
        await _sending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
        if (_json is not null)
            await _json.DisposeAsync().ConfigureAwait(false);
    }

    private async Task FinishAsync()
    {
        try
        {
            await _sending.ConfigureAwait(false);
        }
        catch (Exception e) when (e is PipelineClientException or HttpRequestException or IOException)
        {
            throw new BulkInsertException(e.Message, e);
        }
    }

    private async Task SendAsync()
    {
        using var content = new StreamContent(_body.Reader.AsStream())
        {
            Headers = { ContentType = new("application/json") },
        };
        try
        {
            await send(content, _stop.Token).ConfigureAwait(false);
        }
        finally
        {
            // A writer that waits for room is told that nobody reads any more.
            await _body.Reader.CompleteAsync().ConfigureAwait(false);
        }
    }
}
