using System.Buffers;
using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Database;
using Pipeline.Server.Hosting;

namespace Pipeline.Server.Protocol;

/// <summary>JSON that is being written, with documents in it. For one thread.</summary>
internal sealed class JsonAnswer : IDisposable
{
    /// <summary>What answers are.</summary>
    public const string ContentType = "application/json; charset=utf-8";

    private const string Ticks = "yyyy-MM-dd'T'HH:mm:ss.fffffff'Z'";
    private readonly HeldBuffer _text;
    private readonly ArrayBufferWriter<byte> _document = new(1024);

    /// <summary>Begins an answer.</summary>
    /// <param name="memory">The memory that it counts as; null where nobody counts.</param>
    public JsonAnswer(RequestMemory? memory = null)
    {
        _text = new HeldBuffer(memory);
        Json = new Utf8JsonWriter(_text, new JsonWriterOptions { SkipValidation = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
    }

    /// <summary>Answers a request with JSON.</summary>
    public static async Task WriteAsync(HttpContext context, int status, Action<JsonAnswer> write, RevisionConfiguration? kept = null, RequestMemory? memory = null)
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

    /// <summary>Writes all but documents.</summary>
    public Utf8JsonWriter Json { get; }

    /// <summary>A time as RavenDB's clients read it.</summary>
    public static string Time(DateTimeOffset time) => time.UtcDateTime.ToString(Ticks, CultureInfo.InvariantCulture);

    /// <summary>Of which collections versions are kept: their documents are said to have some. Null says it of none.</summary>
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
        _document.ResetWrittenCount();
        document.WriteJson(_document, (metadataOnly ? DocumentParts.Metadata : DocumentParts.All) | DocumentParts.OmitEmptyCollection, DocumentFlagsText.Property(document, flags));
        Json.WriteRawValue(_document.WrittenSpan, skipInputValidation: true);
    }

    /// <summary>Writes what another writes as JSON text.</summary>
    public void Raw(Action<IBufferWriter<byte>> write)
    {
        _document.ResetWrittenCount();
        write(_document);
        Json.WriteRawValue(_document.WrittenSpan, skipInputValidation: true);
    }

    /// <summary>Ends what was begun and the line; what follows is a text of its own.</summary>
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

    /// <summary>What was written since the last call, to be sent at once.</summary>
    public async Task SendAsync(Stream target, CancellationToken ct)
    {
        HasSent = true;
        await Json.FlushAsync(ct).ConfigureAwait(false);
        await target.WriteAsync(_text.WrittenMemory, ct).ConfigureAwait(false);
        _text.ResetWrittenCount();
    }

    /// <summary>Whether a part of it was sent.</summary>
    public bool HasSent { get; private set; }

    /// <summary>Bytes that wait to be sent.</summary>
    public int Waiting => _text.WrittenCount + Json.BytesPending;

    /// <inheritdoc/>
    public void Dispose() => Json.Dispose();
}
