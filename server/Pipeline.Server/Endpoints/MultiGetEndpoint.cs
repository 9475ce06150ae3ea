using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;

namespace Pipeline.Server.Endpoints;

/// <summary><c>multi_get</c>: several requests of one session in one.</summary>
internal static class MultiGetEndpoint
{
    private const int MostRequests = 1_000;

    /// <summary>Adds it.</summary>
    public static void Add(DatabaseRoutes routes) => routes.Add("POST", "/multi_get", DatabaseAccess.Read, PostAsync);

    private static async Task PostAsync(DatabaseRequest request)
    {
        using var body = JsonDocument.Parse(await request.ReadBodyAsync().ConfigureAwait(false));
        var requests = RequestBody.List(body, "Requests");
        if (requests.GetArrayLength() > MostRequests)
            throw new BadRequestException($"one request may have {MostRequests} in it, this one has {requests.GetArrayLength()}");
        using var answer = new JsonAnswer();
        answer.Json.WriteStartObject();
        answer.Json.WriteStartArray("Results");
        foreach (var inner in requests.EnumerateArray())
            Write(answer, await RunAsync(request, inner).ConfigureAwait(false));
        answer.Json.WriteEndArray();
        answer.Json.WriteEndObject();
        await request.AnswerAsync(StatusCodes.Status200OK, answer.Complete()).ConfigureAwait(false);
    }

    private static async Task<HttpContext> RunAsync(DatabaseRequest outer, JsonElement inner)
    {
        var context = new DefaultHttpContext { RequestServices = outer.Context.RequestServices, RequestAborted = outer.Aborted };
        var url = inner.GetProperty("Url").GetString() ?? "";
        context.Request.Method = inner.TryGetProperty("Method", out var method) && method.GetString() is { Length: > 0 } given ? given : "GET";
        context.Request.Path = url;
        context.Request.QueryString = new QueryString(inner.TryGetProperty("Query", out var query) ? query.GetString() is { Length: > 1 } text ? text : null : null);
        if (inner.TryGetProperty("Headers", out var headers) && headers.ValueKind == JsonValueKind.Object)
        {
            foreach (var header in headers.EnumerateObject())
                context.Request.Headers[header.Name] = header.Value.ToString();
        }
        if (inner.TryGetProperty("Content", out var content) && content.ValueKind is JsonValueKind.Object or JsonValueKind.String)
            context.Request.Body = new MemoryStream(System.Text.Encoding.UTF8.GetBytes(content.ValueKind == JsonValueKind.String ? content.GetString()! : content.GetRawText()));
        context.Features.Set(ClientIdentity.Of(outer.Context));
        context.Features.Set<IHttpResponseBodyFeature>(new StreamResponseBodyFeature(new MemoryStream()));
        var prefix = $"/databases/{outer.Served.Name}";
        if (!url.StartsWith(prefix, StringComparison.OrdinalIgnoreCase))
            throw new BadRequestException($"the request '{url}' is not of the database '{outer.Served.Name}'");
        await outer.Routes.RunAsync(context, outer.Served, url[prefix.Length..]).ConfigureAwait(false);
        return context;
    }

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
        if (body.Length == 0)
            json.WriteNullValue();
        else
            json.WriteRawValue(body.GetBuffer().AsSpan(0, (int)body.Length), skipInputValidation: true);
        json.WriteEndObject();
    }
}
