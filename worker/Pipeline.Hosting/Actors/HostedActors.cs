using Akka.Actor;
using Microsoft.Extensions.Logging;
using Pipeline.Akka.Persistence;
using Pipeline.Configuration;
using Pipeline.Database;

namespace Pipeline.Hosting.Actors;

/// <summary>
/// The actor system of a configuration's <c>actors</c>. Disposal stops it, before the database is closed.
/// </summary>
internal sealed class HostedActors : IAsyncDisposable
{
    private readonly ActorSystem _system;

    private HostedActors(ActorSystem system) => _system = system;

    /// <summary>Starts the actor system and its actors.</summary>
    /// <exception cref="WorkerException">
    /// The class, its assembly or the settings file is invalid, or the actor system does not start.
    /// </exception>
    public static async Task<HostedActors> StartAsync(
        PipelineConfiguration configuration,
        DocumentDatabase database,
        ILoggerFactory loggers,
        CancellationToken ct
    )
    {
        var actors = configuration.Actors!;
        var starter = ActorSettings.MakeStarter(configuration);
        var settings = ActorSettings.Read(configuration);
        var system = ActorSystem.Create(actors.System, ActorSettings.SetUp(settings, database, loggers));
        try
        {
            await PipelinePersistence
                .Get(system)
                .CheckAsync("akka.persistence.journal.pipeline", ct)
                .ConfigureAwait(false);
            await starter.StartAsync(system, database, ct).ConfigureAwait(false);
            return new HostedActors(system);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            await system.Terminate().ConfigureAwait(false);
            throw new WorkerException(
                $"{configuration.File}: actors.start: '{actors.Start}' failed: {e.Message}",
                ExitCodes.Failed,
                e
            );
        }
    }

    /// <summary>Why actors cannot persist; null while they can.</summary>
    public async Task<string?> FindProblemAsync(CancellationToken ct)
    {
        if (_system.WhenTerminated.IsCompleted)
            return "the actor system has ended";
        try
        {
            await PipelinePersistence
                .Get(_system)
                .CheckAsync("akka.persistence.journal.pipeline", ct)
                .ConfigureAwait(false);
            return null;
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            return e.Message;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync() =>
        await CoordinatedShutdown
            .Get(_system)
            .Run(CoordinatedShutdown.ActorSystemTerminateReason.Instance)
            .ConfigureAwait(false);
}
