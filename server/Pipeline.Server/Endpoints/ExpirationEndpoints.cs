using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Http;
using Pipeline.Documents;
using Pipeline.Server.Databases;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// <c>expiration</c> and <c>refresh</c>: settings that delete documents, or store them again, at times given in their
/// metadata.
/// </summary>
internal static class ExpirationEndpoints
{
    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add(
            "GET",
            "/expiration/config",
            DatabaseAccess.Read,
            request => GetAsync(request, ExpirationWire.Deletion(request.Database.Expiration.Configuration))
        );
        routes.Add(
            "GET",
            "/refresh/config",
            DatabaseAccess.Read,
            request => GetAsync(request, ExpirationWire.Refreshing(request.Database.Expiration.Configuration))
        );
        routes.Add(
            "POST",
            "/admin/expiration/config",
            DatabaseAccess.Admin,
            request =>
                PutAsync(
                    request,
                    (known, json) => known with { DeleteEvery = ExpirationWire.Interval(json, "DeleteFrequencyInSec") }
                )
        );
        routes.Add(
            "POST",
            "/admin/refresh/config",
            DatabaseAccess.Admin,
            request =>
                PutAsync(
                    request,
                    (known, json) =>
                        known with
                        {
                            RefreshEvery = ExpirationWire.Interval(json, "RefreshFrequencyInSec"),
                        }
                )
        );
    }

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
}
