using System.Diagnostics.CodeAnalysis;
using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence;
using Pipeline.Akka.Persistence.Connections;
using Pipeline.Akka.Persistence.Serialization;

namespace Pipeline.Akka.Persistence;

/// <summary>
/// The shared base of journal and snapshot store: settings, place of the data, and cancellation when the plugin stops.
/// Thread-safe.
/// </summary>
[SuppressMessage("Reliability", "CA1001", Justification = "The source has no timer; Stop cancels it.")]
internal sealed class StoragePlugin
{
    private readonly CancellationTokenSource _stop = new();
    private readonly PipelinePersistence _persistence;
    private readonly ConnectionPlace _place;

    /// <summary>Reads the settings.</summary>
    /// <param name="context">The plugin's actor.</param>
    /// <param name="config">The plugin's own settings.</param>
    /// <param name="defaults">The path of the defaults.</param>
    /// <exception cref="ConfigurationException">The settings do not say where the data is stored.</exception>
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

    /// <summary>The settings, including the defaults.</summary>
    internal Config Settings { get; }

    internal EventCodec Codec { get; }

    /// <summary>Cancelled when the plugin stops.</summary>
    internal CancellationToken Stopped => _stop.Token;

    /// <summary>The connection; opened if it is not open.</summary>
    /// <exception cref="PersistencePlaceException">It cannot be opened; the next call tries again.</exception>
    internal IEventConnection Connect() => _persistence.Connect(_place);

    /// <summary>
    /// A source that is cancelled when the plugin stops or the caller gives up; the caller disposes it.
    /// </summary>
    /// <param name="ct">The caller's token; Akka cancels it after the circuit breaker's call timeout.</param>
    internal CancellationTokenSource StopOr(CancellationToken ct) =>
        CancellationTokenSource.CreateLinkedTokenSource(Stopped, ct);

    /// <summary>Checks in the database itself whether it can be read and written.</summary>
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

    /// <summary>
    /// Opens the connection before the first operation. A failure is logged, and each operation tries again.
    /// </summary>
    internal void Start(ILoggingAdapter log)
    {
        try
        {
            Connect();
        }
        catch (PersistencePlaceException e)
        {
            log.Error(e, "The plugin '{0}' has no database yet; each operation retries.", Name);
        }
    }

    internal void Stop() => _stop.Cancel();
}
