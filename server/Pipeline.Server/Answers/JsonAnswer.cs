using System.Buffers;
using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Documents;

namespace Pipeline.Server.Answers;

/// <summary>JSON being written, which may contain documents. For one thread.</summary>
internal sealed class JsonAnswer : IDisposable
{
    /// <summary>The content type of answers.</summary>
    public const string ContentType = "application/json; charset=utf-8";

    private const string Ticks = "yyyy-MM-dd'T'HH:mm:ss.fffffff'Z'";
    private readonly HeldBuffer _text;
    private ArrayBufferWriter<byte>? _document;

    /// <summary>Begins an answer.</summary>
    /// <param name="memory">The memory that counts it; null if it is not counted.</param>
    public JsonAnswer(RequestMemory? memory = null)
    {
        _text = new HeldBuffer(memory);
        Json = new Utf8JsonWriter(
            _text,
            new JsonWriterOptions { SkipValidation = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }
        );
    }

    /// <summary>Answers a request with JSON.</summary>
    public static async Task WriteAsync(
        HttpContext context,
        int status,
        Action<JsonAnswer> write,
        RevisionConfiguration? kept = null,
        RequestMemory? memory = null
    )
    {
        using var answer = new JsonAnswer(memory) { Kept = kept };
        write(answer);
        await WriteAsync(context, status, answer.Complete()).ConfigureAwait(false);
    }

    /// <summary>Answers a request with JSON text.</summary>
    public static async Task WriteAsync(HttpContext context, int status, ReadOnlyMemory<byte> json)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = ContentType;
        context.Response.ContentLength = json.Length;
        await context.Response.Body.WriteAsync(json, context.RequestAborted).ConfigureAwait(false);
    }

    /// <summary>Writes everything but documents.</summary>
    public Utf8JsonWriter Json { get; }

    /// <summary>Formats a time for RavenDB's clients.</summary>
    public static string Time(DateTimeOffset time) => time.UtcDateTime.ToString(Ticks, CultureInfo.InvariantCulture);

    /// <summary>
    /// The collections whose versions are kept; their documents get a flag that says so. Null for none.
    /// </summary>
    public RevisionConfiguration? Kept { get; init; }

    /// <summary>Writes a document, or null.</summary>
    public void Document(Document? document, bool metadataOnly = false, DocumentFlags flags = DocumentFlags.None)
    {
        if (document is null)
        {
            Json.WriteNullValue();
            return;
        }
        if (Kept?.Find(document.Collection) is { Enabled: true })
            flags |= DocumentFlags.HasRevisions;
        var text = Emptied();
        document.WriteJson(
            text,
            (metadataOnly ? DocumentParts.Metadata : DocumentParts.All) | DocumentParts.OmitEmptyCollection,
            DocumentFlagsText.Property(document, flags)
        );
        Json.WriteRawValue(text.WrittenSpan, skipInputValidation: true);
    }

    /// <summary>Inserts JSON text that another function writes.</summary>
    public void Raw(Action<IBufferWriter<byte>> write)
    {
        var text = Emptied();
        write(text);
        Json.WriteRawValue(text.WrittenSpan, skipInputValidation: true);
    }

    /// <summary>Closes all open objects and lists and ends the line. Later output forms a new text.</summary>
    public void EndLine()
    {
        while (Json.CurrentDepth > 0)
            Json.WriteEndObject();
        Json.Flush();
        Json.Reset();
        _text.Write("\n"u8);
    }

    /// <summary>The whole text.</summary>
    public ReadOnlyMemory<byte> Complete()
    {
        Json.Flush();
        return _text.WrittenMemory;
    }

    /// <summary>Sends the text written since the last call.</summary>
    public async Task SendAsync(Stream target, CancellationToken ct)
    {
        HasSent = true;
        await Json.FlushAsync(ct).ConfigureAwait(false);
        await target.WriteAsync(_text.WrittenMemory, ct).ConfigureAwait(false);
        _text.ResetWrittenCount();
    }

    /// <summary>Discards the text so far, which <see cref="Complete"/> has returned; the JSON continues.</summary>
    public void Clear() => _text.ResetWrittenCount();

    /// <summary>Whether a part was sent already.</summary>
    public bool HasSent { get; private set; }

    /// <summary>Bytes waiting to be sent.</summary>
    public int Waiting => _text.WrittenCount + Json.BytesPending;

    /// <inheritdoc/>
    public void Dispose() => Json.Dispose();

    private ArrayBufferWriter<byte> Emptied()
    {
        _document ??= new ArrayBufferWriter<byte>(1024);
        _document.ResetWrittenCount();
        return _document;
    }
}
