using System.Diagnostics.CodeAnalysis;
using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence;
using Pipeline.Akka.Persistence.Connections;
using Pipeline.Akka.Persistence.Serialization;

namespace Pipeline.Akka.Persistence;

/// <summary>What a journal and a snapshot store have in common: their settings, the place of their data, and the end of what they do. Thread-safe.</summary>
[SuppressMessage("Reliability", "CA1001", Justification = "The source has no timer; Stop cancels it.")]
internal sealed class StoragePlugin
{
    private readonly CancellationTokenSource _stop = new();
    private readonly PipelinePersistence _persistence;
    private readonly ConnectionPlace _place;

    /// <summary>Reads its settings.</summary>
    /// <param name="context">The plugin's actor.</param>
    /// <param name="config">What is set for it.</param>
    /// <param name="defaults">The path of the defaults.</param>
    /// <exception cref="ConfigurationException">They do not say where its data is.</exception>
    internal StoragePlugin(IActorContext context, Config config, string defaults)
    {
        var system = (ExtendedActorSystem)context.System;
        Name = context.Self.Path.Name;
        _persistence = PipelinePersistence.Get(system);
        Settings = PluginConfig.Complete(config, defaults);
        _place = ConnectionPlace.Read(Settings, Name);
        Codec = new EventCodec(system, Settings);
    }

    /// <summary>The plugin's name, for messages and metrics.</summary>
    internal string Name { get; }

    /// <summary>Its settings, with the defaults.</summary>
    internal Config Settings { get; }

    internal EventCodec Codec { get; }

    /// <summary>Cancelled when the plugin ends.</summary>
    internal CancellationToken Stopped => _stop.Token;

    /// <summary>The connection, opened where it is not open.</summary>
    /// <exception cref="PersistencePlaceException">It cannot be opened; the next call tries again.</exception>
    internal IEventConnection Connect() => _persistence.Connect(_place);

    /// <summary>A source that is cancelled when the plugin ends or the caller gives up; the caller disposes it.</summary>
    /// <param name="ct">The caller's token: Akka cancels it when the circuit breaker's call timeout passes.</param>
    internal CancellationTokenSource StopOr(CancellationToken ct) => CancellationTokenSource.CreateLinkedTokenSource(Stopped, ct);

    /// <summary>Asks the database itself whether it can be read and written.</summary>
    internal async Task<PersistenceHealthCheckResult> CheckAsync(CancellationToken ct)
    {
        try
        {
            await Connect().CheckAsync(ct).ConfigureAwait(false);
            return new PersistenceHealthCheckResult(PersistenceHealthStatus.Healthy);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            return new PersistenceHealthCheckResult(PersistenceHealthStatus.Unhealthy, e.Message, e);
        }
    }

    /// <summary>Opens the connection ahead of the first operation; what fails is logged and tried again by each operation.</summary>
    internal void Start(ILoggingAdapter log)
    {
        try
        {
            Connect();
        }
        catch (PersistencePlaceException e)
        {
            log.Error(e, "The plugin '{0}' has no database yet; each operation tries again.", Name);
        }
    }

    internal void Stop() => _stop.Cancel();
}
