using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Pipeline.Server.Subscriptions;
using Pipeline.Subscriptions;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// <c>subscriptions/definition</c>, <c>worker</c>, <c>states</c> and <c>paused</c>: subscriptions for Pipeline.Client.
/// Not part of RavenDB's protocol. A worker is a web socket, so it needs no extra port, and the same authentication
/// applies.
/// </summary>
internal static class WorkerEndpoints
{
    private const int MaxNameLength = 128;

    // A slow client holds its batch in memory here until it has read it.
    private const long MaxBatchBytes = 64 << 20;
    private const int MaxBatchCount = 1_000_000;

    // A worker reports by being connected: the web socket notices when it is gone.
    private static readonly TimeSpan Unlimited = TimeSpan.FromDays(10_000);
    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
    };

    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes, ServerOptions options, ILogger logger)
    {
        routes.Add(
            "PUT",
            "/subscriptions/definition",
            DatabaseAccess.ReadWrite,
            request => DefineAsync(request, options.DatabaseAdminsSendCSharp)
        );
        routes.Add(
            "GET",
            "/subscriptions/worker",
            DatabaseAccess.ReadWrite,
            request => WorkAsync(request, options, logger),
            isLong: true,
            isSafe: false
        );
        routes.Add("GET", "/subscriptions/states", DatabaseAccess.Read, StatesAsync);
        routes.Add("POST", "/subscriptions/paused", DatabaseAccess.ReadWrite, PauseAsync);
    }

    /// <summary>Creates a subscription or, without <c>isNew</c>, changes it: <c>{ Start, Definition }</c>.</summary>
    private static async Task DefineAsync(DatabaseRequest request, bool allowsCSharp)
    {
        using var body = await request.ReadJsonAsync().ConfigureAwait(false);
        var root = body.RootElement;
        if (
            root.ValueKind != JsonValueKind.Object
            || !root.TryGetProperty("Definition", out var given)
            || given.ValueKind != JsonValueKind.Object
        )
        {
            throw new BadRequestException("the body must be an object with 'Definition'");
        }

        var definition = given.Deserialize<SubscriptionDefinition>(Json)!;
        var start =
            root.TryGetProperty("Start", out var text) && text.ValueEquals("End")
                ? SubscriptionStart.End
                : SubscriptionStart.Beginning;

        // As for indexes: compiled C# runs as the server itself.
        if (definition.Filter is not null || definition.Projection is not null)
        {
            var what = $"The C# of the subscription '{definition.Name}' (a query needs less)";
            if (allowsCSharp)
                ClientIdentity.Of(request.Context).Demand(request.Served.Name, DatabaseAccess.Admin, what);
            else
                ClientIdentity.Of(request.Context).Demand(ServerClearance.Admin, what);
        }
        if (request.Flag("isNew"))
            await request.Served.Subscriptions.CreateAsync(definition, start, request.Aborted).ConfigureAwait(false);
        else
            await request.Served.Subscriptions.EnsureAsync(definition, start, request.Aborted).ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }

    private static async Task PauseAsync(DatabaseRequest request)
    {
        var (host, name) = (request.Served.Subscriptions, request.Required("name"));
        await (
            request.Required("value") switch
            {
                "true" => host.PauseAsync(name, request.Aborted),
                "false" => host.ResumeAsync(name, request.Aborted),
                var value => throw new BadRequestException(
                    $"the value '{value}' is none; 'true' pauses and 'false' resumes"
                ),
            }
        ).ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }

    private static Task StatesAsync(DatabaseRequest request)
    {
        var states = request.Served.Subscriptions.GetStatus(request.Text("name"));
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteStartArray("Results");
                foreach (var state in states)
                    Write(answer.Json, state);
                answer.Json.WriteEndArray();
                answer.Json.WriteEndObject();
            }
        );
    }

    private static void Write(Utf8JsonWriter json, SubscriptionStatus state)
    {
        json.WriteStartObject();
        json.WriteString("Name", state.Name);
        json.WriteString("Query", state.Definition.Query);
        json.WriteString("Filter", state.Definition.Filter);
        json.WriteBoolean("IsPaused", state.Definition.IsPaused);
        json.WriteNumber("Backlog", state.Consumer?.Pending.Changes ?? state.Lag);
        json.WriteNumber("BacklogAgeMs", (long)(1_000 * (state.Consumer?.AgeSeconds ?? state.LagSeconds)));
        json.WriteNumber("InFlight", state.InFlight);
        json.WriteNumber("Retrying", state.Retrying);
        json.WriteNumber("Parked", state.Parked);
        json.WriteNumber("Acknowledged", state.Acknowledged);
        if (state.LastAcknowledged is { } time)
            json.WriteString("LastAcknowledged", time);
        json.WriteStartArray("Workers");
        foreach (var worker in state.Workers)
            json.WriteStringValue(worker.Name);
        json.WriteEndArray();
        json.WriteString("LastError", state.Error ?? state.LastError);
        json.WriteEndObject();
    }

    private static async Task WorkAsync(DatabaseRequest request, ServerOptions options, ILogger logger)
    {
        if (!request.Context.WebSockets.IsWebSocketRequest)
        {
            throw new BadRequestException(
                "a worker of a subscription must connect by a web socket; a proxy in between must allow web sockets"
            );
        }

        var (name, worker) = (request.Required("name"), Read(request));
        using var stream = request.OpenStream();
        using var socket = await request.Context.WebSockets.AcceptWebSocketAsync().ConfigureAwait(false);
        ServerLog.WorkerConnected(logger, worker.Name, name, request.Served.Name);
        ServerMetrics.Workers.Add(1);
        try
        {
            await new WorkerSocket(socket, request, options, logger)
                .RunAsync(name, worker, request.Flag("endsWhenEmpty"), request.Aborted, request.Stopping)
                .ConfigureAwait(false);
        }
        finally
        {
            ServerMetrics.Workers.Add(-1);
        }
    }

    private static SubscriptionWorkerOptions Read(DatabaseRequest request)
    {
        var strategy = request.Text("strategy") ?? nameof(WorkerStrategy.OpenIfFree);
        var worker = request.Text("worker") is { Length: > 0 } given ? given : "worker";
        return new SubscriptionWorkerOptions
        {
            Name = worker.Length <= MaxNameLength ? worker : worker[..MaxNameLength],
            Strategy =
                Enum.TryParse<WorkerStrategy>(strategy, out var known) && Enum.IsDefined(known)
                    ? known
                    : throw new BadRequestException(
                        $"the strategy '{strategy}' is none; {string.Join(", ", Enum.GetNames<WorkerStrategy>())} are"
                    ),
            MaxBatchCount = (int)Math.Min(request.Number("maxCount", 1_000), MaxBatchCount),
            MaxBatchBytes = Math.Min(request.Number("maxBytes", 4 << 20), MaxBatchBytes),
            Lease =
                request.Text("lease") is not { } lease ? Unlimited
                : TimeSpan.TryParse(lease, CultureInfo.InvariantCulture, out var limit) ? limit
                : throw new BadRequestException($"the lease '{lease}' is not a time; write 00:05:00"),
        };
    }
}
