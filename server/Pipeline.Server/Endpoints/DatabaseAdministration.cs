using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Hosting;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;

namespace Pipeline.Server.Endpoints;

/// <summary><c>admin/databases</c>: databases made, deleted and described.</summary>
internal static class DatabaseAdministration
{
    /// <summary>Adds it.</summary>
    public static void Map(IEndpointRouteBuilder routes, ServerDatabases databases, ILogger logger)
    {
        routes.MapMethods("/admin/databases", ["PUT"], context => ErrorAnswer.GuardAsync(context, logger, () => CreateAsync(context, databases))).For(ServerClearance.Admin);
        routes.MapMethods("/admin/databases", ["DELETE"], context => ErrorAnswer.GuardAsync(context, logger, () => DeleteAsync(context, databases))).For(ServerClearance.Admin);
        routes.MapMethods("/admin/databases", ["GET"], context => ErrorAnswer.GuardAsync(context, logger, () => GetAsync(context, databases))).For(ServerClearance.Own);
    }

    private static async Task CreateAsync(HttpContext context, ServerDatabases databases)
    {
        var record = await RequestBody.ReadAsync(context).ConfigureAwait(false);
        var name = context.Request.Query["name"].ToString();
        if (record.Length > 0)
        {
            using var json = JsonDocument.Parse(record);
            if (name.Length == 0 && json.RootElement.ValueKind == JsonValueKind.Object && json.RootElement.TryGetProperty("DatabaseName", out var given))
                name = given.GetString() ?? "";
        }
        databases.CheckMayCreate(name);
        var made = await databases.CreateAsync(name, record, context.RequestAborted).ConfigureAwait(false);
        await JsonAnswer.WriteAsync(context, StatusCodes.Status201Created, answer =>
        {
            var json = answer.Json;
            json.WriteStartObject();
            json.WriteNumber("RaftCommandIndex", 1);
            json.WriteString("Name", made.Name);
            json.WriteStartObject("Topology");
            json.WriteStartArray("Members");
            json.WriteStringValue("A");
            json.WriteEndArray();
            json.WriteStartArray("Promotables");
            json.WriteEndArray();
            json.WriteStartArray("Rehabs");
            json.WriteEndArray();
            json.WriteNumber("ReplicationFactor", 1);
            json.WriteEndObject();
            json.WriteStartArray("NodesAddedTo");
            json.WriteStringValue(ServerEndpoints.UrlOf(context));
            json.WriteEndArray();
            json.WriteEndObject();
        }).ConfigureAwait(false);
    }

    private static async Task DeleteAsync(HttpContext context, ServerDatabases databases)
    {
        using var body = await JsonDocument.ParseAsync(context.Request.Body, cancellationToken: context.RequestAborted).ConfigureAwait(false);
        var names = RequestBody.List(body, "DatabaseNames");
        var hard = body.RootElement.TryGetProperty("HardDelete", out var given) && given.ValueKind == JsonValueKind.True;
        foreach (var name in names.EnumerateArray().Select(n => n.GetString() ?? ""))
        {
            if (!await databases.DeleteAsync(name, hard, context.RequestAborted).ConfigureAwait(false) && names.GetArrayLength() == 1)
                throw new DatabaseMissingException(name);
        }
        await JsonAnswer.WriteAsync(context, StatusCodes.Status200OK, answer =>
        {
            var json = answer.Json;
            json.WriteStartObject();
            json.WriteNumber("RaftCommandIndex", 1);
            json.WriteStartArray("PendingDeletes");
            json.WriteEndArray();
            json.WriteEndObject();
        }).ConfigureAwait(false);
    }

    private static async Task GetAsync(HttpContext context, ServerDatabases databases)
    {
        var name = context.Request.Query["name"].ToString();
        ClientIdentity.Of(context).Demand(name, DatabaseAccess.Read, "The record");
        if (!databases.TryGet(name, out var database))
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }
        var record = database.Record;
        await JsonAnswer.WriteAsync(context, StatusCodes.Status200OK, answer =>
        {
            var json = answer.Json;
            if (record is { Length: > 0 })
            {
                json.WriteRawValue(record, skipInputValidation: true);
                return;
            }
            json.WriteStartObject();
            json.WriteString("DatabaseName", database.Name);
            json.WriteEndObject();
        }).ConfigureAwait(false);
    }
}
