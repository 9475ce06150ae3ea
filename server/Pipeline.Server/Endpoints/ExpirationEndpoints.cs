using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Http;
using Pipeline.Documents;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// <c>expiration</c> and <c>refresh</c>: settings that delete documents, or store them again, at times given in their
/// metadata.
/// </summary>
internal static class ExpirationEndpoints
{
    private static readonly TimeSpan Otherwise = TimeSpan.FromMinutes(1);

    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add(
            "GET",
            "/expiration/config",
            DatabaseAccess.Read,
            request => GetAsync(request, Deletion(request.Database.Expiration.Configuration))
        );
        routes.Add(
            "GET",
            "/refresh/config",
            DatabaseAccess.Read,
            request => GetAsync(request, Refreshing(request.Database.Expiration.Configuration))
        );
        routes.Add(
            "POST",
            "/admin/expiration/config",
            DatabaseAccess.Admin,
            request =>
                PutAsync(request, (known, json) => known with { DeleteEvery = Interval(json, "DeleteFrequencyInSec") })
        );
        routes.Add(
            "POST",
            "/admin/refresh/config",
            DatabaseAccess.Admin,
            request =>
                PutAsync(
                    request,
                    (known, json) => known with { RefreshEvery = Interval(json, "RefreshFrequencyInSec") }
                )
        );
    }

    /// <summary>The setting in a record; null if it has none.</summary>
    /// <exception cref="BadRequestException">The setting is invalid.</exception>
    public static ExpirationConfiguration? Read(JsonObject? record, ExpirationConfiguration known) =>
        record?["Expiration"] is null && record?["Refresh"] is null
            ? null
            : new ExpirationConfiguration(
                record["Expiration"] is JsonObject expiration
                    ? Interval(expiration, "DeleteFrequencyInSec")
                    : known.DeleteEvery,
                record["Refresh"] is JsonObject refresh
                    ? Interval(refresh, "RefreshFrequencyInSec")
                    : known.RefreshEvery
            );

    /// <summary>Adds the setting to a record.</summary>
    public static void Write(JsonObject record, ExpirationConfiguration configuration)
    {
        if (Deletion(configuration) is { } deletion)
            record["Expiration"] = deletion;
        if (Refreshing(configuration) is { } refreshing)
            record["Refresh"] = refreshing;
    }

    private static JsonObject? Deletion(ExpirationConfiguration configuration) =>
        ToJson(configuration.DeleteEvery, "DeleteFrequencyInSec");

    private static JsonObject? Refreshing(ExpirationConfiguration configuration) =>
        ToJson(configuration.RefreshEvery, "RefreshFrequencyInSec");

    private static JsonObject? ToJson(TimeSpan? interval, string name) =>
        interval is { } time ? new JsonObject { ["Disabled"] = false, [name] = (long)time.TotalSeconds } : null;

    private static Task GetAsync(DatabaseRequest request, JsonObject? configuration) =>
        configuration is null
            ? request.AnswerAsync(StatusCodes.Status404NotFound)
            : request.AnswerAsync(StatusCodes.Status200OK, answer => configuration.WriteTo(answer.Json));

    private static async Task PutAsync(
        DatabaseRequest request,
        Func<ExpirationConfiguration, JsonObject, ExpirationConfiguration> change
    )
    {
        var body =
            JsonNode.Parse((await request.ReadBodyAsync().ConfigureAwait(false)).Span) as JsonObject
            ?? throw new BadRequestException($"the body of {request.Context.Request.Path} is an object");
        await request
            .Database.Expiration.ConfigureAsync(
                change(request.Database.Expiration.Configuration, body),
                request.Aborted
            )
            .ConfigureAwait(false);
        await request
            .AnswerAsync(StatusCodes.Status200OK, "{\"RaftCommandIndex\":1}"u8.ToArray())
            .ConfigureAwait(false);
    }

    private static TimeSpan? Interval(JsonObject json, string name)
    {
        if (json["Disabled"] is JsonValue disabled && disabled.TryGetValue(out bool yes) && yes)
            return null;
        if (json[name] is null)
            return Otherwise;
        return
            json[name] is JsonValue value
            && value.TryGetValue(out long seconds)
            && seconds > 0
            && seconds <= ExpirationConfiguration.MaxInterval.TotalSeconds
            ? TimeSpan.FromSeconds(seconds)
            : throw new BadRequestException(
                $"'{name}' is {json[name]!.ToJsonString()}, a number of seconds from 1 to {ExpirationConfiguration.MaxInterval.TotalSeconds:0} is expected"
            );
    }
}
