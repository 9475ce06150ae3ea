using Akka.Actor;
using Pipeline.Database;

namespace Pipeline.Akka.Persistence;

/// <summary>Starts the actors of a worker: what <c>actors.start</c> of its configuration names.</summary>
public interface IActorStarter
{
    /// <summary>Starts the actors. Persistence is set up; the worker's tasks start afterwards.</summary>
    /// <param name="system">The actor system.</param>
    /// <param name="database">The worker's database, in which actors persist.</param>
    /// <param name="ct">Ends the start.</param>
    /// <returns>Done when the worker may go on.</returns>
    Task StartAsync(ActorSystem system, DocumentDatabase database, CancellationToken ct);
}
