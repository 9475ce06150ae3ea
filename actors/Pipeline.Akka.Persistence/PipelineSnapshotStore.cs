using System.Diagnostics.CodeAnalysis;
using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence;
using Akka.Persistence.Snapshot;
using Pipeline.Akka.Persistence.Connections;
using Pipeline.Akka.Persistence.Serialization;
using Pipeline.Database.Events;

namespace Pipeline.Akka.Persistence;

/// <summary>The snapshot store. Where the database cannot be opened or reached every operation fails with the cause, and the next one tries again.</summary>
[SuppressMessage("Reliability", "CA1001", Justification = "The source has no timer; PostStop cancels it.")]
public sealed class PipelineSnapshotStore : SnapshotStore
{
    private readonly ILoggingAdapter _log = Context.GetLogger();
    private readonly CancellationTokenSource _stop = new();
    private readonly PipelinePersistence _persistence;
    private readonly ConnectionPlace _place;
    private readonly EventCodec _codec;
    private readonly SnapshotRetention? _retention;
    private readonly string _plugin;

    /// <summary>Makes the store of a plugin.</summary>
    /// <param name="config">The plugin's settings.</param>
    /// <exception cref="ConfigurationException">They do not say where snapshots are.</exception>
    public PipelineSnapshotStore(Config config)
    {
        _plugin = Self.Path.Name;
        var system = (ExtendedActorSystem)Context.System;
        _persistence = PipelinePersistence.Get(system);
        config = PluginConfig.Complete(config, "akka.persistence.snapshot-store.pipeline");
        _place = ConnectionPlace.Read(config, _plugin);
        _codec = new EventCodec(system, config);
        if (config.GetInt("keep") is > 0 and var keep) _retention = new SnapshotRetention { Keep = keep, DeleteEvents = config.GetBoolean("delete-events") };
        else if (config.GetBoolean("delete-events")) throw new ConfigurationException($"The plugin '{_plugin}' is to delete events behind snapshots, but keeps all of them: set 'keep'.");
    }

    /// <inheritdoc/>
    protected override void PreStart()
    {
        base.PreStart();
        try
        {
            Connect();
        }
        catch (PersistencePlaceException e)
        {
            _log.Error(e, "The snapshot store '{0}' has no database yet; each operation tries again.", _plugin);
        }
    }

    /// <inheritdoc/>
    protected override void PostStop()
    {
        _stop.Cancel();
        base.PostStop();
    }

    /// <inheritdoc/>
    protected override async Task<SelectedSnapshot?> LoadAsync(string persistenceId, SnapshotSelectionCriteria criteria)
    {
        StreamSnapshot? found = await Connect().LoadSnapshotAsync(persistenceId, Criteria(criteria), _stop.Token).ConfigureAwait(false);
        return found is null
            ? null
            : new SelectedSnapshot(new SnapshotMetadata(persistenceId, found.SequenceNumber, found.Timestamp.UtcDateTime), _codec.Deserialize(found.Payload, found.SerializerId, found.Manifest));
    }

    /// <inheritdoc/>
    protected override Task SaveAsync(SnapshotMetadata metadata, object snapshot)
    {
        (byte[] bytes, int serializer, string manifest) = _codec.Serialize(snapshot);
        var made = new StreamSnapshot { SequenceNumber = metadata.SequenceNr, Timestamp = Time(metadata.Timestamp), SerializerId = serializer, Manifest = manifest, Payload = bytes };
        return Connect().SaveSnapshotAsync(metadata.PersistenceId, made, _retention, _stop.Token);
    }

    /// <inheritdoc/>
    protected override Task DeleteAsync(SnapshotMetadata metadata)
    {
        StreamSnapshotCriteria one = StreamSnapshotCriteria.UpTo(metadata.SequenceNr) with { MinSequence = metadata.SequenceNr };
        if (metadata.Timestamp != DateTime.MinValue) one = one with { MinTime = Time(metadata.Timestamp), MaxTime = Time(metadata.Timestamp) };
        return Connect().DeleteSnapshotsAsync(metadata.PersistenceId, one, _stop.Token);
    }

    /// <inheritdoc/>
    protected override Task DeleteAsync(string persistenceId, SnapshotSelectionCriteria criteria) => Connect().DeleteSnapshotsAsync(persistenceId, Criteria(criteria), _stop.Token);

    private static StreamSnapshotCriteria Criteria(SnapshotSelectionCriteria criteria) =>
        new(criteria.MaxSequenceNr, Time(criteria.MaxTimeStamp), Math.Max(0, criteria.MinSequenceNr), criteria.MinTimestamp is { } min ? Time(min) : DateTimeOffset.MinValue);

    private static DateTimeOffset Time(DateTime time) => new(time.Ticks, TimeSpan.Zero);

    private IEventConnection Connect() => _persistence.Connect(_place);
}
