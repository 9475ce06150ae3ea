using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Pipeline.Database;
using Pipeline.Server.Hosting;

namespace Pipeline.Server.Protocol;

/// <summary>A request to one database, and the ways to answer it. For one thread at a time.</summary>
internal sealed class DatabaseRequest(HttpContext context, ServedDatabase served, DatabaseRoutes routes, RequestMemory memory)
{
    /// <summary>The memory that it uses.</summary>
    public RequestMemory Memory { get; } = memory;

    /// <summary>The request and its answer as HTTP has them.</summary>
    public HttpContext Context { get; } = context;

    /// <summary>The database with what the server keeps beside it.</summary>
    public ServedDatabase Served { get; } = served;

    /// <summary>All that can be asked of a database.</summary>
    public DatabaseRoutes Routes { get; } = routes;

    /// <summary>The documents.</summary>
    public DocumentDatabase Database => Served.Database;

    /// <summary>Bytes of an answer after which what was written is sent.</summary>
    public const int SendBytes = 32 << 10;

    private RevisionConfiguration? Kept => Database.Revisions.Configuration is { Default: null, Collections.Count: 0 } ? null : Database.Revisions.Configuration;

    /// <summary>Cancelled when the client goes away.</summary>
    public CancellationToken Aborted => Context.RequestAborted;

    /// <summary>Lets the body be as large as its parts may be; how much that is, who reads them checks.</summary>
    public void LiftBodyLimit()
    {
        if (Context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit)
            limit.MaxRequestBodySize = null;
    }

    /// <summary>A parameter of the address; null where it is missing.</summary>
    public string? Text(string name) => Context.Request.Query.TryGetValue(name, out var values) && values.Count > 0 ? values[0] : null;

    /// <summary>All values of a parameter of the address.</summary>
    public IReadOnlyList<string> Texts(string name) => [.. Context.Request.Query[name].Where(v => !string.IsNullOrEmpty(v)).Select(v => v!)];

    /// <summary>A parameter that must be there.</summary>
    /// <exception cref="BadRequestException">It is missing.</exception>
    public string Required(string name) => Text(name) is { Length: > 0 } text ? text : throw new BadRequestException($"the parameter '{name}' is missing in {Context.Request.Path}");

    /// <summary>A whole number from 0 on.</summary>
    /// <exception cref="BadRequestException">It is none.</exception>
    public long Number(string name, long otherwise)
    {
        var text = Text(name);
        if (string.IsNullOrEmpty(text))
            return otherwise;
        return long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var value)
            ? value
            : throw new BadRequestException($"the parameter '{name}' is '{text}', a whole number from 0 on is expected");
    }

    /// <summary>Whether a parameter says true.</summary>
    public bool Flag(string name) => bool.TryParse(Text(name), out var value) && value;

    /// <summary>The change vector that <c>If-Match</c> expects; null where the request says nothing.</summary>
    public string? ExpectedChangeVector => Context.Request.Headers.IfMatch is [{ } expected, ..] ? expected.Trim('"') : null;

    /// <summary>What <c>If-None-Match</c> has seen; null where the request says nothing.</summary>
    public string? KnownETag => Context.Request.Headers.IfNoneMatch is [{ Length: > 0 } known, ..] ? known.Trim('"') : null;

    /// <summary>The whole body.</summary>
    public Task<ReadOnlyMemory<byte>> ReadBodyAsync() => RequestBody.ReadAsync(Context, Memory);

    /// <summary>Answers with JSON.</summary>
    public Task AnswerAsync(int status, Action<JsonAnswer> write) => JsonAnswer.WriteAsync(Context, status, write, Kept, Memory);

    /// <summary>Begins an answer that <see cref="SendPartAsync"/> sends as it is written.</summary>
    public JsonAnswer BeginAnswer() => new(Memory) { Kept = Kept };

    /// <summary>Sends what an answer has so far, where that is worth it.</summary>
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
        answer.HasSent ? answer.SendAsync(Context.Response.Body, Aborted) : AnswerAsync(StatusCodes.Status200OK, answer.Complete());

    /// <summary>Answers with JSON text.</summary>
    public Task AnswerAsync(int status, ReadOnlyMemory<byte> json) => JsonAnswer.WriteAsync(Context, status, json);

    /// <summary>Answers with a status and nothing else.</summary>
    public Task AnswerAsync(int status)
    {
        Context.Response.StatusCode = status;
        return Task.CompletedTask;
    }

    /// <summary>Sets the tag that the client keeps, and answers 304 where it has it already.</summary>
    /// <returns>Whether it was answered.</returns>
    public bool IsKnown(string etag)
    {
        Context.Response.Headers.ETag = $"\"{etag}\"";
        if (KnownETag != etag)
            return false;
        Context.Response.StatusCode = StatusCodes.Status304NotModified;
        return true;
    }
}
