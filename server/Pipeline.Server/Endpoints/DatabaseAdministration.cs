using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;
using Pipeline.Documents;
using Pipeline.Server.Answers;
using Pipeline.Server.Databases;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary><c>admin/databases</c>: creates, deletes, describes, disables and locks databases.</summary>
internal static class DatabaseAdministration
{
    /// <summary>Adds the endpoints.</summary>
    public static void Map(IEndpointRouteBuilder routes, ServerDatabases databases, ILogger logger)
    {
        routes
            .MapMethods(
                "/admin/databases",
                ["PUT"],
                context => ErrorAnswer.GuardAsync(context, logger, () => PutAsync(context, databases))
            )
            .For(ServerClearance.Admin);
        routes
            .MapMethods(
                "/admin/databases",
                ["DELETE"],
                context => ErrorAnswer.GuardAsync(context, logger, () => DeleteAsync(context, databases))
            )
            .For(ServerClearance.Admin);
        routes
            .MapMethods(
                "/admin/databases",
                ["GET"],
                context => ErrorAnswer.GuardAsync(context, logger, () => GetAsync(context, databases))
            )
            .For(ServerClearance.Own);
        Add(routes, logger, "enable", context => ToggleAsync(context, databases, disable: false));
        Add(routes, logger, "disable", context => ToggleAsync(context, databases, disable: true));
        Add(routes, logger, "set-lock", context => LockAsync(context, databases));
        Add(routes, logger, "promote", context => PromoteAsync(context, databases));
        Add(routes, logger, "reorder", context => ReorderAsync(context, databases));
    }

    private static void Add(IEndpointRouteBuilder routes, ILogger logger, string what, RequestDelegate answer) =>
        routes
            .MapMethods(
                "/admin/databases/" + what,
                ["POST"],
                context => ErrorAnswer.GuardAsync(context, logger, () => answer(context))
            )
            .For(ServerClearance.Admin);

    /// <summary>Creates a database, or changes its record if the client names the version that it has read.</summary>
    private static async Task PutAsync(HttpContext context, ServerDatabases databases)
    {
        var body = await RequestBody.ReadAsync(context).ConfigureAwait(false);
        var record =
            body.Length == 0
                ? null
                : JsonNode.Parse(body.Span) as JsonObject
                    ?? throw new BadRequestException("the record of a database is an object");
        var name = context.Request.Query["name"].ToString();
        if (name.Length == 0)
            name = record?["DatabaseName"]?.ToString() ?? "";
        if (
            record is not null
            && long.TryParse(
                context.Request.Headers.ETag.ToString().Trim('"'),
                NumberStyles.None,
                CultureInfo.InvariantCulture,
                out var version
            )
            && version > 0
        )
        {
            await UpdateAsync(context, databases, name, record, version).ConfigureAwait(false);
            return;
        }
        databases.CheckMayCreate(name);
        var made = await databases.CreateAsync(name, record, context.RequestAborted).ConfigureAwait(false);
        await AnswerPutAsync(context, made).ConfigureAwait(false);
    }

    private static async Task UpdateAsync(
        HttpContext context,
        ServerDatabases databases,
        string name,
        JsonObject record,
        long version
    )
    {
        var database = Find(databases, name);
        await database
            .Record.ChangeAsync(
                json =>
                {
                    var current = json["Etag"]?.GetValue<long>() ?? 1;
                    if (current != version)
                    {
                        throw new ConcurrencyException(
                            $"record of {database.Name}",
                            version.ToString(CultureInfo.InvariantCulture),
                            current.ToString(CultureInfo.InvariantCulture)
                        );
                    }

                    RecordSettings.Take(json, record);
                },
                context.RequestAborted
            )
            .ConfigureAwait(false);
        var known = database.Database.Expiration.Configuration;
        if (ExpirationWire.Read(record, known) is { } expiration && expiration != known)
            await database.Database.Expiration.ConfigureAsync(expiration, context.RequestAborted).ConfigureAwait(false);
        await AnswerPutAsync(context, database).ConfigureAwait(false);
    }

    private static async Task AnswerPutAsync(HttpContext context, ServedDatabase made) =>
        await JsonAnswer
            .WriteAsync(
                context,
                StatusCodes.Status201Created,
                answer =>
                {
                    var json = answer.Json;
                    json.WriteStartObject();
                    json.WriteNumber("RaftCommandIndex", made.Record.ETag);
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
                }
            )
            .ConfigureAwait(false);

    private static async Task DeleteAsync(HttpContext context, ServerDatabases databases)
    {
        using var body = await JsonDocument
            .ParseAsync(context.Request.Body, cancellationToken: context.RequestAborted)
            .ConfigureAwait(false);
        var names = RequestBody.List(body, "DatabaseNames");
        var hard =
            body.RootElement.TryGetProperty("HardDelete", out var given) && given.ValueKind == JsonValueKind.True;
        var isKept = false;
        foreach (var name in names.EnumerateArray().Select(n => n.GetString() ?? ""))
        {
            if (databases.TryGet(name, out var known) && known.Record.LockMode == "PreventDeletesIgnore")
            {
                isKept = true;
                continue;
            }
            if (
                !await databases.DeleteAsync(name, hard, context.RequestAborted).ConfigureAwait(false)
                && names.GetArrayLength() == 1
            )
            {
                throw new DatabaseMissingException(name);
            }
        }
        await JsonAnswer
            .WriteAsync(
                context,
                StatusCodes.Status200OK,
                answer =>
                {
                    var json = answer.Json;
                    json.WriteStartObject();
                    json.WriteNumber("RaftCommandIndex", isKept ? -1 : 1);
                    json.WriteStartArray("PendingDeletes");
                    json.WriteEndArray();
                    json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
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
        await JsonAnswer
            .WriteAsync(context, StatusCodes.Status200OK, DatabaseRecordWire.ToBytes(database))
            .ConfigureAwait(false);
    }

    private static async Task ToggleAsync(HttpContext context, ServerDatabases databases, bool disable)
    {
        List<ServedDatabase> chosen;
        using (
            var body = await JsonDocument
                .ParseAsync(context.Request.Body, cancellationToken: context.RequestAborted)
                .ConfigureAwait(false)
        )
        {
            chosen = Chosen(databases, body);
        }

        foreach (var database in chosen)
        {
            await database
                .Record.ChangeAsync(json => json["Disabled"] = disable, context.RequestAborted)
                .ConfigureAwait(false);
        }

        await JsonAnswer
            .WriteAsync(
                context,
                StatusCodes.Status200OK,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteStartArray("Status");
                    foreach (var database in chosen)
                    {
                        answer.Json.WriteStartObject();
                        answer.Json.WriteString("Name", database.Name);
                        answer.Json.WriteBoolean("Success", true);
                        answer.Json.WriteBoolean("Disabled", disable);
                        answer.Json.WriteString(
                            "Reason",
                            disable ? "Its requests are refused" : "Its requests are served"
                        );
                        answer.Json.WriteEndObject();
                    }
                    answer.Json.WriteEndArray();
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static async Task LockAsync(HttpContext context, ServerDatabases databases)
    {
        using var body = await JsonDocument
            .ParseAsync(context.Request.Body, cancellationToken: context.RequestAborted)
            .ConfigureAwait(false);
        var chosen = Chosen(databases, body);
        var mode =
            body.RootElement.TryGetProperty("Mode", out var given) && given.ValueKind == JsonValueKind.String
                ? given.GetString()!
                : "";
        if (mode is not ("Unlock" or "PreventDeletesIgnore" or "PreventDeletesError"))
        {
            throw new BadRequestException(
                $"'Mode' is '{mode}'; Unlock, PreventDeletesIgnore and PreventDeletesError are"
            );
        }

        foreach (var database in chosen)
        {
            await database
                .Record.ChangeAsync(json => json["LockMode"] = mode, context.RequestAborted)
                .ConfigureAwait(false);
        }

        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    /// <summary>Does nothing: the only node is a member already.</summary>
    private static Task PromoteAsync(HttpContext context, ServerDatabases databases)
    {
        var database = Find(databases, context.Request.Query["name"].ToString());
        if (context.Request.Query["node"] != "A")
            throw new BadRequestException($"there is no node '{context.Request.Query["node"]}'; the only node is A");
        return JsonAnswer.WriteAsync(
            context,
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteString("Name", database.Name);
                answer.Json.WriteNumber("RaftCommandIndex", database.Record.ETag);
                answer.Json.WriteEndObject();
            }
        );
    }

    /// <summary>Does nothing: the only node is first already.</summary>
    private static async Task ReorderAsync(HttpContext context, ServerDatabases databases)
    {
        Find(databases, context.Request.Query["name"].ToString());
        using var body = await JsonDocument
            .ParseAsync(context.Request.Body, cancellationToken: context.RequestAborted)
            .ConfigureAwait(false);
        if (RequestBody.List(body, "MembersOrder").EnumerateArray().Select(n => n.GetString()).ToList() is not ["A"])
            throw new BadRequestException("'MembersOrder' must name the one node, A");
        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    private static List<ServedDatabase> Chosen(ServerDatabases databases, JsonDocument body) =>
        [.. RequestBody.List(body, "DatabaseNames").EnumerateArray().Select(n => Find(databases, n.GetString() ?? ""))];

    private static ServedDatabase Find(ServerDatabases databases, string name) =>
        databases.TryGet(name, out var database) ? database : throw new DatabaseMissingException(name);
}
