using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Answers;
using Pipeline.Server.Databases;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary>The requests about the server itself: its topology, its build, and its databases.</summary>
internal static class ServerEndpoints
{
    /// <summary>The server's id: it has no others to be told from.</summary>
    public static string ServerId { get; } = Guid.Empty.ToString();

    /// <summary>Adds them, and the way to each database.</summary>
    public static void Map(
        IEndpointRouteBuilder routes,
        ServerDatabases databases,
        ServerOptions options,
        ILogger logger
    )
    {
        var ofDatabase = new DatabaseRoutes(
            options.Limits.MaxRequestTime,
            new RequestMemoryPool(options.Limits),
            new QueryTurns(QueryTurns.OfProcessors, options.Limits.MaxWaitingQueries, options.Limits.MaxClientStreams),
            options.Time,
            logger
        );
        DocumentEndpoints.Add(ofDatabase);
        BatchEndpoint.Add(ofDatabase);
        AttachmentEndpoints.Add(ofDatabase);
        CompareExchangeEndpoints.Add(ofDatabase);
        QueryEndpoints.Add(ofDatabase);
        EventEndpoints.Add(ofDatabase);
        EventPageEndpoints.Add(ofDatabase);
        HiLoEndpoints.Add(ofDatabase);
        StatisticsEndpoints.Add(ofDatabase);
        IndexEndpoints.Add(ofDatabase, options.DatabaseAdminsSendCSharp);
        IndexTrialEndpoints.Add(ofDatabase, options.DatabaseAdminsSendCSharp);
        OperationEndpoints.Add(ofDatabase);
        MultiGetEndpoint.Add(ofDatabase);
        BulkInsertEndpoint.Add(ofDatabase, options.Limits.MaxRequestBytes);
        SubscriptionEndpoints.Add(ofDatabase);
        WorkerEndpoints.Add(ofDatabase, options, logger);
        TcpInfoEndpoints.Add(ofDatabase, options);
        ChangesEndpoint.Add(ofDatabase);
        RevisionEndpoints.Add(ofDatabase);
        DatabaseRecordEndpoints.Add(ofDatabase);
        ExpirationEndpoints.Add(ofDatabase);
        routes
            .Map(
                "/databases/{database}/{**path}",
                context =>
                    ofDatabase.RunAsync(
                        context,
                        databases,
                        (string)context.Request.RouteValues["database"]!,
                        "/" + (string?)context.Request.RouteValues["path"]
                    )
            )
            .WithMetadata(ofDatabase)
            .For(ServerClearance.Own);

        var topology = new TopologyEndpoints(databases, options.Cluster);
        Add(routes, logger, "GET", "/cluster/node-info", (_, json) => topology.WriteNode(json));
        Add(routes, logger, "GET", "/cluster/topology", topology.WriteCluster);
        Add(routes, logger, "GET", "/topology", topology.WriteDatabase);
        Add(routes, logger, "GET", "/databases", (context, json) => List(context, json, databases));
        Add(
            routes,
            logger,
            "GET",
            "/info/remote-task/tcp",
            (context, json) => TcpInfoEndpoints.Write(context, json, databases, options)
        );
        Add(
            routes,
            logger,
            "GET",
            "/info/tcp",
            (context, json) => TcpInfoEndpoints.Write(context, json, databases, options)
        );
        Add(routes, logger, "GET", "/build/version", (_, json) => BuildVersion(json));
        Add(
            routes,
            logger,
            "GET",
            "/configuration/client",
            (_, json) =>
            {
                json.WriteStartObject();
                json.WriteNumber("Etag", 0);
                json.WriteNull("Configuration");
                json.WriteEndObject();
            }
        );
        DatabaseAdministration.Map(routes, databases, logger);
        routes
            .MapMethods(
                "/admin/test/delay",
                ["GET"],
                context => ErrorAnswer.GuardAsync(context, logger, () => DelayAsync(context, options))
            )
            .For(ServerClearance.Admin);
        routes
            .Map(
                "/admin/{**path}",
                context =>
                    ErrorAnswer.WriteAsync(
                        context,
                        new UnsupportedException(
                            $"{context.Request.Method} {context.Request.Path}",
                            "server/README.md lists the supported requests"
                        ),
                        logger
                    )
            )
            .For(ServerClearance.Known);
    }

    /// <summary>Where the client has reached this server.</summary>
    public static string UrlOf(HttpContext context) =>
        $"{context.Request.Scheme}://{context.Request.Host}{context.Request.PathBase}";

    private static void Add(
        IEndpointRouteBuilder routes,
        ILogger logger,
        string method,
        string path,
        Action<HttpContext, Utf8JsonWriter> write
    ) =>
        routes
            .MapMethods(
                path,
                [method],
                context =>
                    ErrorAnswer.GuardAsync(
                        context,
                        logger,
                        () =>
                            JsonAnswer.WriteAsync(
                                context,
                                StatusCodes.Status200OK,
                                answer => write(context, answer.Json)
                            )
                    )
            )
            .For(ServerClearance.Known);

    private static void List(HttpContext context, Utf8JsonWriter json, ServerDatabases databases)
    {
        var namesOnly = context.Request.Query["namesOnly"] == "true";
        var start = int.TryParse(context.Request.Query["start"], out var from) ? from : 0;
        var size = int.TryParse(context.Request.Query["pageSize"], out var most) ? most : int.MaxValue;
        json.WriteStartObject();
        json.WriteStartArray("Databases");
        var client = ClientIdentity.Of(context);
        foreach (
            var database in databases.All.Where(d => client.On(d.Name) != DatabaseAccess.None).Skip(start).Take(size)
        )
        {
            if (namesOnly)
            {
                json.WriteStringValue(database.Name);
                continue;
            }
            json.WriteStartObject();
            json.WriteString("Name", database.Name);
            json.WriteBoolean("Disabled", false);
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();
    }

    /// <summary>
    /// Answers after as many milliseconds as are asked for, for who tries how a client deals with slow answers.
    /// </summary>
    private static async Task DelayAsync(HttpContext context, ServerOptions options)
    {
        if (
            !long.TryParse(
                context.Request.Query["value"],
                NumberStyles.None,
                CultureInfo.InvariantCulture,
                out var milliseconds
            )
            || milliseconds > options.Limits.MaxRequestTime.TotalMilliseconds
        )
        {
            throw new BadRequestException(
                $"'value' is a number of milliseconds up to {options.Limits.MaxRequestTime.TotalMilliseconds:0} (server.limits.requestTime)"
            );
        }

        await Task.Delay(TimeSpan.FromMilliseconds(milliseconds), options.Time, context.RequestAborted)
            .ConfigureAwait(false);
        context.Response.StatusCode = StatusCodes.Status204NoContent;
    }

    private static void BuildVersion(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("ProductVersion", "5.4");
        json.WriteNumber("BuildVersion", 54200);
        json.WriteString("CommitHash", "");
        json.WriteString("FullVersion", ProtocolVersion.Text);
        json.WriteEndObject();
    }
}
