using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary><c>multi_get</c>: several requests of a session in one.</summary>
internal static class MultiGetEndpoint
{
    private const int MaxRequests = 1_000;

    /// <summary>Adds the endpoint.</summary>
    public static void Add(DatabaseRoutes routes) => routes.Add("POST", "/multi_get", DatabaseAccess.Read, PostAsync);

    private static async Task PostAsync(DatabaseRequest request)
    {
        using var body = await request.ReadJsonAsync().ConfigureAwait(false);
        var requests = RequestBody.List(body, "Requests");
        if (requests.GetArrayLength() > MaxRequests)
        {
            throw new BadRequestException(
                $"one request may have {MaxRequests} in it, this one has {requests.GetArrayLength()}"
            );
        }

        using var answer = new JsonAnswer(request.Memory);
        answer.Json.WriteStartObject();
        answer.Json.WriteStartArray("Results");
        foreach (var inner in requests.EnumerateArray())
        {
            var held = request.Memory.Held;
            var done = await RunAsync(request, inner).ConfigureAwait(false);
            var its = request.Memory.Held - held;
            Write(answer, done);
            request.Memory.Release(its);
        }
        answer.Json.WriteEndArray();
        answer.Json.WriteEndObject();
        await request.AnswerAsync(StatusCodes.Status200OK, answer.Complete()).ConfigureAwait(false);
    }

    private static async Task<HttpContext> RunAsync(DatabaseRequest outer, JsonElement inner)
    {
        var context = new DefaultHttpContext
        {
            RequestServices = outer.Context.RequestServices,
            RequestAborted = outer.Aborted,
        };
        if (inner.ValueKind != JsonValueKind.Object || Text(inner, "Url") is not { Length: > 0 } url)
            throw new BadRequestException("each of 'Requests' must be an object with 'Url'");
        context.Request.Method = Text(inner, "Method") is { Length: > 0 } method ? method : "GET";
        if (url[0] != '/')
            throw new BadRequestException($"the 'Url' of a request must begin with '/', '{url}' does not");
        context.Request.Path = url;
        context.Request.QueryString = Text(inner, "Query") is { Length: > 1 } query
            ? new QueryString(query[0] == '?' ? query : "?" + query)
            : default;
        if (inner.TryGetProperty("Headers", out var headers) && headers.ValueKind == JsonValueKind.Object)
        {
            foreach (var header in headers.EnumerateObject())
                context.Request.Headers[header.Name] = header.Value.ToString();
        }
        if (
            inner.TryGetProperty("Content", out var content)
            && content.ValueKind is JsonValueKind.Object or JsonValueKind.String
        )
        {
            context.Request.Body = new MemoryStream(
                System.Text.Encoding.UTF8.GetBytes(
                    content.ValueKind == JsonValueKind.String ? content.GetString()! : content.GetRawText()
                )
            );
        }

        context.Features.Set(ClientIdentity.Of(outer.Context));
        context.Features.Set(outer.Memory);
        context.Features.Set<IHttpResponseBodyFeature>(new StreamResponseBodyFeature(new HeldStream(outer.Memory)));
        var prefix = $"/databases/{outer.Served.Name}";
        if (!url.StartsWith(prefix, StringComparison.OrdinalIgnoreCase))
            throw new BadRequestException($"the request '{url}' is not of the database '{outer.Served.Name}'");
        if (url.TrimEnd('/').EndsWith("/multi_get", StringComparison.OrdinalIgnoreCase))
        {
            await ErrorAnswer
                .WriteAsync(
                    context,
                    new BadRequestException("a request within a request has no further ones"),
                    Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance
                )
                .ConfigureAwait(false);
        }
        else
        {
            await outer.Routes.RunAsync(context, outer.Served, url[prefix.Length..]).ConfigureAwait(false);
        }

        return context;
    }

    /// <summary>The answer of an inner request; it counts as memory of the outer one.</summary>
    private sealed class HeldStream(RequestMemory memory) : MemoryStream
    {
        public override void Write(byte[] buffer, int offset, int count)
        {
            memory.Hold(count);
            base.Write(buffer, offset, count);
        }

        public override void Write(ReadOnlySpan<byte> buffer)
        {
            memory.Hold(buffer.Length);
            base.Write(buffer);
        }
    }

    private static string? Text(JsonElement inner, string name) =>
        inner.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;

    private static void Write(JsonAnswer answer, HttpContext done)
    {
        var json = answer.Json;
        json.WriteStartObject();
        json.WriteNumber("StatusCode", done.Response.StatusCode);
        json.WriteStartObject("Headers");
        if (done.Response.Headers.ETag is [{ } etag, ..])
            json.WriteString("ETag", etag);
        json.WriteEndObject();
        json.WritePropertyName("Result");
        var body = (MemoryStream)done.Response.Body;
        // A missing document has no result: clients would take the error for one.
        if (body.Length == 0 || done.Response.StatusCode == StatusCodes.Status404NotFound)
            json.WriteNullValue();
        else
            json.WriteRawValue(body.GetBuffer().AsSpan(0, (int)body.Length), skipInputValidation: true);
        json.WriteEndObject();
    }
}
