using Pipeline.Server.Changes;
using Pipeline.Server.Cluster;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary><c>changes</c>: a web socket that reports changes of documents, indexes and operations.</summary>
internal static class ChangesEndpoint
{
    /// <summary>Adds the endpoint.</summary>
    public static void Add(DatabaseRoutes routes) =>
        routes.Add("GET", "/changes", DatabaseAccess.Read, RunAsync, isLong: true);

    private static async Task RunAsync(DatabaseRequest request)
    {
        if (!request.Context.WebSockets.IsWebSocketRequest)
            throw new BadRequestException("changes are sent over a web socket");
        using var socket = await request.Context.WebSockets.AcceptWebSocketAsync().ConfigureAwait(false);
        var connection = new ChangesConnection(socket, request.Database, request.Served.Changes.Memory);
        var leadership = request.Context.Features.Get<LeadershipFeature>();
        using var over = leadership?.Over.Register(() => connection.End(leadership.Reason));
        using var joined = request.Served.Changes.Join(connection);
        ServerMetrics.Listeners.Add(1);
        try
        {
            await connection.RunAsync(request.Aborted, request.Stopping).ConfigureAwait(false);
        }
        finally
        {
            ServerMetrics.Listeners.Add(-1);
        }
    }
}
