using Akka.Actor;
using Pipeline.Database;

namespace Pipeline.Akka.Persistence;

/// <summary>Starts the actors of a worker; <c>actors.start</c> of its configuration names the class.</summary>
public interface IActorStarter
{
    /// <summary>
    /// Starts the actors. Persistence is configured already; the worker's tasks start afterwards. A node of a cluster
    /// calls it again, with a new actor system, when its actors start anew.
    /// </summary>
    /// <param name="system">The actor system.</param>
    /// <param name="database">The worker's database, in which actors persist.</param>
    /// <param name="ct">Cancels the start.</param>
    /// <returns>A task that completes when the worker may continue.</returns>
    Task StartAsync(ActorSystem system, DocumentDatabase database, CancellationToken ct);
}
