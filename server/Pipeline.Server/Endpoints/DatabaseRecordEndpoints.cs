using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Http;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// A database's record for its own clients: settings, which are only stored for clients that read them, and the client
/// configuration.
/// </summary>
internal static class DatabaseRecordEndpoints
{
    private const string Settings = "Settings";

    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add(
            "GET",
            "/admin/record",
            DatabaseAccess.Admin,
            request => request.AnswerAsync(StatusCodes.Status200OK, DatabaseRecordWire.ToBytes(request.Served))
        );
        routes.Add("PUT", "/admin/configuration/settings", DatabaseAccess.Admin, PutSettingsAsync);
        routes.Add("PUT", "/admin/configuration/client", DatabaseAccess.Admin, PutClientAsync);
        routes.Add("GET", "/configuration/client", DatabaseAccess.Read, GetClientAsync);
    }

    private static async Task PutSettingsAsync(DatabaseRequest request)
    {
        var settings = await ReadAsync(request).ConfigureAwait(false);
        if (settings.FirstOrDefault(s => s.Value is not (null or JsonValue)) is { Key: { } name })
            throw new BadRequestException($"the setting '{name}' must be a text");
        await request
            .Served.Record.ChangeAsync(json => json[Settings] = settings.DeepClone(), request.Aborted)
            .ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }

    private static async Task PutClientAsync(DatabaseRequest request)
    {
        var configuration = await ReadAsync(request).ConfigureAwait(false);
        if (
            configuration["IdentityPartsSeparator"] is JsonValue separator
            && separator.ToString() is not ([] or [not '|'])
        )
        {
            throw new BadRequestException(
                $"'IdentityPartsSeparator' is '{separator}': one character other than '|' separates names and numbers in ids"
            );
        }

        await request
            .Served.Record.ChangeAsync(
                json =>
                {
                    var known = json["Client"]?["Etag"]?.GetValue<long>() ?? 0;
                    json["Client"] = configuration.DeepClone();
                    json["Client"]!["Etag"] = known + 1;
                },
                request.Aborted
            )
            .ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }

    private static Task GetClientAsync(DatabaseRequest request)
    {
        var record = request.Served.Record;
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteNumber("Etag", record.ClientETag);
                answer.Json.WritePropertyName("Configuration");
                if (record.Copy()["Client"] is { } configuration)
                    configuration.WriteTo(answer.Json);
                else
                    answer.Json.WriteNullValue();
                answer.Json.WriteEndObject();
            }
        );
    }

    private static async Task<JsonObject> ReadAsync(DatabaseRequest request) =>
        JsonNode.Parse((await request.ReadBodyAsync().ConfigureAwait(false)).Span) as JsonObject
        ?? throw new BadRequestException($"the body of {request.Context.Request.Path} is an object");
}
