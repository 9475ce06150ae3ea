using System.Globalization;
using System.Net;
using Akka.Actor;
using Pipeline.Akka.Persistence;
using Pipeline.Akka.Sharding;
using Pipeline.Database;

namespace Pipeline.IntegrationTests.Faults.Actors;

/// <summary>
/// Starts the tallies in a worker, and lets clients of other processes in: <c>GET /?tally=T&amp;request=R</c> at the port
/// <c>tallies.port</c> of the actors' settings answers the number of the event.
/// </summary>
public sealed class TallyStart : IActorStarter
{
    private static readonly TimeSpan MaxAnswer = TimeSpan.FromSeconds(2);
    private static readonly Lock Opening = new();
    private static HttpListener? _door;
    private static volatile IActorRef _region = ActorRefs.Nobody;

    /// <inheritdoc/>
    public async Task StartAsync(ActorSystem system, DocumentDatabase database, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(system);
        _region = await LeaderShards.StartAsync(
            system,
            "tally",
            id => Props.Create(() => new Tally(id)),
            new ByTally(),
            ct: ct
        );
        lock (Opening)
        {
            if (_door is not null)
                return; // an actor system that started again
            _door = new HttpListener();
            var port = system.Settings.Config.GetInt("tallies.port").ToString(CultureInfo.InvariantCulture);
            _door.Prefixes.Add($"http://127.0.0.1:{port}/");
            _door.Start();
            _ = Task.Run(() => ListenAsync(_door), CancellationToken.None);
        }
    }

    private static async Task ListenAsync(HttpListener door)
    {
        while (true)
        {
            var call = await door.GetContextAsync();
            _ = Task.Run(() => AnswerAsync(call));
        }
    }

    private static async Task AnswerAsync(HttpListenerContext call)
    {
        var query = call.Request.QueryString;
        try
        {
            var noted = await _region.Ask<Noted>(new Count(query["tally"]!, query["request"]!), MaxAnswer);
            await using var writer = new StreamWriter(call.Response.OutputStream);
            await writer.WriteAsync(noted.Number.ToString(CultureInfo.InvariantCulture));
        }
        catch (Exception e) when (e is AskTimeoutException or TaskCanceledException)
        {
            call.Response.StatusCode = (int)HttpStatusCode.ServiceUnavailable;
            call.Response.Close();
        }
        catch (HttpListenerException)
        {
            call.Response.Abort(); // the client has gone
        }
    }
}
