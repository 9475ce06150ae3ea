using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Server.Answers;
using Pipeline.Server.Databases;
using Pipeline.Server.Errors;
using Pipeline.Server.Security;

namespace Pipeline.Server.Protocol;

/// <summary>A request to one database, with methods to answer it. For one thread at a time.</summary>
internal sealed class DatabaseRequest(
    HttpContext context,
    ServedDatabase served,
    DatabaseRoutes routes,
    RequestMemory memory,
    QueryTurns turns
)
{
    /// <summary>The memory that it uses.</summary>
    public RequestMemory Memory { get; } = memory;

    /// <summary>Waits until the client's other queries leave room for another.</summary>
    public ValueTask<IDisposable> TakeTurnAsync(CancellationToken ct) =>
        turns.TakeAsync(ClientIdentity.Of(Context), ct);

    /// <summary>Counts a stream of the client, until the result is disposed.</summary>
    public IDisposable OpenStream() => turns.OpenStream(ClientIdentity.Of(Context));

    /// <summary>The HTTP request and response.</summary>
    public HttpContext Context { get; } = context;

    /// <summary>The database with the server's state for it.</summary>
    public ServedDatabase Served { get; } = served;

    /// <summary>All routes of a database.</summary>
    public DatabaseRoutes Routes { get; } = routes;

    /// <summary>The documents.</summary>
    public DocumentDatabase Database => Served.Database;

    /// <summary>How many bytes of an answer are collected before they are sent.</summary>
    public const int SendBytes = 32 << 10;

    private RevisionConfiguration? Kept =>
        Database.Revisions.Configuration is { Default: null, Collections.Count: 0 }
            ? null
            : Database.Revisions.Configuration;

    /// <summary>Cancelled when the client goes away.</summary>
    public CancellationToken Aborted => Context.RequestAborted;

    /// <summary>Cancelled when the server stops.</summary>
    public CancellationToken Stopping =>
        Context.RequestServices.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping;

    /// <summary>Removes the limit on the body; the code that reads its parts must check their sizes.</summary>
    public void LiftBodyLimit()
    {
        if (Context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit)
            limit.MaxRequestBodySize = null;
    }

    /// <summary>A parameter of the query string; null if it is missing.</summary>
    public string? Text(string name) =>
        Context.Request.Query.TryGetValue(name, out var values) && values.Count > 0 ? values[0] : null;

    /// <summary>All values of a parameter of the query string.</summary>
    public IReadOnlyList<string> Texts(string name) =>
        [.. Context.Request.Query[name].Where(v => !string.IsNullOrEmpty(v)).Select(v => v!)];

    /// <summary>A required parameter.</summary>
    /// <exception cref="BadRequestException">It is missing.</exception>
    public string Required(string name) =>
        Text(name) is { Length: > 0 } text
            ? text
            : throw new BadRequestException($"the parameter '{name}' is missing in {Context.Request.Path}");

    /// <summary>A whole number, at least 0.</summary>
    /// <exception cref="BadRequestException">The value is not such a number.</exception>
    public long Number(string name, long otherwise)
    {
        var text = Text(name);
        if (string.IsNullOrEmpty(text))
            return otherwise;
        return long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var value)
            ? value
            : throw new BadRequestException(
                $"the parameter '{name}' is '{text}', a whole number from 0 on is expected"
            );
    }

    /// <summary>Whether a parameter is true.</summary>
    public bool Flag(string name) => bool.TryParse(Text(name), out var value) && value;

    /// <summary>The change vector that <c>If-Match</c> expects; null without the header.</summary>
    public string? ExpectedChangeVector =>
        Context.Request.Headers.IfMatch is [{ } expected, ..] ? expected.Trim('"') : null;

    /// <summary>The ETag in <c>If-None-Match</c>; null without the header.</summary>
    public string? KnownETag =>
        Context.Request.Headers.IfNoneMatch is [{ Length: > 0 } known, ..] ? known.Trim('"') : null;

    /// <summary>The whole body.</summary>
    public Task<ReadOnlyMemory<byte>> ReadBodyAsync() => RequestBody.ReadAsync(Context, Memory);

    /// <summary>The whole body, which is JSON: counts also the memory of its values once they are parsed.</summary>
    /// <exception cref="RequestMemoryException">The values exceed the memory limit.</exception>
    public async Task<ReadOnlyMemory<byte>> ReadJsonBodyAsync()
    {
        var body = await ReadBodyAsync().ConfigureAwait(false);
        Memory.Hold(RequestBody.ParsedBytes(body.Span));
        return body;
    }

    /// <summary>The body as JSON.</summary>
    /// <exception cref="RequestMemoryException">The values exceed the memory limit.</exception>
    /// <exception cref="JsonException">The body is no JSON.</exception>
    public async Task<JsonDocument> ReadJsonAsync() =>
        JsonDocument.Parse(await ReadJsonBodyAsync().ConfigureAwait(false));

    /// <summary>Answers with JSON.</summary>
    public Task AnswerAsync(int status, Action<JsonAnswer> write) =>
        JsonAnswer.WriteAsync(Context, status, write, Kept, Memory);

    /// <summary>Begins an answer that <see cref="SendPartAsync"/> sends in parts.</summary>
    public JsonAnswer BeginAnswer() => new(Memory) { Kept = Kept };

    /// <summary>Sends the text so far, once there is enough of it.</summary>
    public Task SendPartAsync(JsonAnswer answer)
    {
        if (answer.Waiting <= SendBytes)
            return Task.CompletedTask;
        if (!answer.HasSent)
            Context.Response.ContentType = JsonAnswer.ContentType;
        return answer.SendAsync(Context.Response.Body, Aborted);
    }

    /// <summary>Sends the rest of an answer.</summary>
    public Task EndAnswerAsync(JsonAnswer answer) =>
        answer.HasSent
            ? answer.SendAsync(Context.Response.Body, Aborted)
            : AnswerAsync(StatusCodes.Status200OK, answer.Complete());

    /// <summary>Answers with JSON text.</summary>
    public Task AnswerAsync(int status, ReadOnlyMemory<byte> json) => JsonAnswer.WriteAsync(Context, status, json);

    /// <summary>Answers with a status and no body.</summary>
    public Task AnswerAsync(int status)
    {
        Context.Response.StatusCode = status;
        return Task.CompletedTask;
    }

    /// <summary>Sets the ETag, and answers 304 if the client has it already.</summary>
    /// <returns>Whether the request was answered.</returns>
    public bool IsKnown(string etag)
    {
        Context.Response.Headers.ETag = $"\"{etag}\"";
        if (KnownETag != etag)
            return false;
        Context.Response.StatusCode = StatusCodes.Status304NotModified;
        return true;
    }
}
