using Akka.Configuration;
using Akka.Event;
using Akka.Persistence;
using Akka.Persistence.Snapshot;
using Pipeline.Documents.Events;

namespace Pipeline.Akka.Persistence;

/// <summary>
/// The snapshot store. If the database cannot be opened or reached, every operation fails with the cause and the next
/// one tries again.
/// </summary>
public sealed class PipelineSnapshotStore : SnapshotStore
{
    private readonly ILoggingAdapter _log = Context.GetLogger();
    private readonly StoragePlugin _plugin;
    private readonly SnapshotRetention? _retention;

    /// <summary>Creates the store of a plugin.</summary>
    /// <param name="config">The plugin's settings.</param>
    /// <exception cref="ConfigurationException">The settings do not say where snapshots are stored.</exception>
    public PipelineSnapshotStore(Config config)
    {
        _plugin = new StoragePlugin(Context, config, "akka.persistence.snapshot-store.pipeline");
        config = _plugin.Settings;
        if (config.GetInt("keep") is > 0 and var keep)
        {
            _retention = new SnapshotRetention { Keep = keep, DeleteEvents = config.GetBoolean("delete-events") };
        }
        else if (config.GetBoolean("delete-events"))
        {
            throw new ConfigurationException(
                $"The plugin '{_plugin.Name}' is to delete events behind snapshots, but keeps all of them: set 'keep'."
            );
        }
    }

    /// <inheritdoc/>
    public override Task<PersistenceHealthCheckResult> CheckHealthAsync(
        CancellationToken cancellationToken = default
    ) => _plugin.CheckAsync(cancellationToken);

    /// <inheritdoc/>
    protected override void PreStart()
    {
        base.PreStart();
        _plugin.Start(_log);
    }

    /// <inheritdoc/>
    protected override void PostStop()
    {
        _plugin.Stop();
        base.PostStop();
    }

    /// <inheritdoc/>
    protected override async Task<SelectedSnapshot?> LoadAsync(
        string persistenceId,
        SnapshotSelectionCriteria criteria,
        CancellationToken cancellationToken
    )
    {
        using var stop = _plugin.StopOr(cancellationToken);
        var found = await _plugin
            .Connect()
            .LoadSnapshotAsync(persistenceId, Criteria(criteria), stop.Token)
            .ConfigureAwait(false);
        return found is null
            ? null
            : new SelectedSnapshot(
                new SnapshotMetadata(persistenceId, found.SequenceNumber, found.Timestamp.UtcDateTime),
                _plugin.Codec.Deserialize(found.Payload, found.SerializerId, found.Manifest)
            );
    }

    /// <inheritdoc/>
    protected override async Task SaveAsync(
        SnapshotMetadata metadata,
        object snapshot,
        CancellationToken cancellationToken
    )
    {
        (var bytes, var serializer, var manifest) = _plugin.Codec.Serialize(snapshot);
        var made = new StreamSnapshot
        {
            SequenceNumber = metadata.SequenceNr,
            Timestamp = Time(metadata.Timestamp),
            SerializerId = serializer,
            Manifest = manifest,
            Payload = bytes,
        };
        using var stop = _plugin.StopOr(cancellationToken);
        await _plugin
            .Connect()
            .SaveSnapshotAsync(metadata.PersistenceId, made, _retention, stop.Token)
            .ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override async Task DeleteAsync(SnapshotMetadata metadata, CancellationToken cancellationToken)
    {
        var one = StreamSnapshotCriteria.UpTo(metadata.SequenceNr) with { MinSequence = metadata.SequenceNr };
        if (metadata.Timestamp != DateTime.MinValue)
            one = one with { MinTime = Time(metadata.Timestamp), MaxTime = Time(metadata.Timestamp) };
        using var stop = _plugin.StopOr(cancellationToken);
        await _plugin.Connect().DeleteSnapshotsAsync(metadata.PersistenceId, one, stop.Token).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override async Task DeleteAsync(
        string persistenceId,
        SnapshotSelectionCriteria criteria,
        CancellationToken cancellationToken
    )
    {
        using var stop = _plugin.StopOr(cancellationToken);
        await _plugin
            .Connect()
            .DeleteSnapshotsAsync(persistenceId, Criteria(criteria), stop.Token)
            .ConfigureAwait(false);
    }

    private static StreamSnapshotCriteria Criteria(SnapshotSelectionCriteria criteria) =>
        new(
            criteria.MaxSequenceNr,
            Time(criteria.MaxTimeStamp),
            Math.Max(0, criteria.MinSequenceNr),
            criteria.MinTimestamp is { } min ? Time(min) : DateTimeOffset.MinValue
        );

    private static DateTimeOffset Time(DateTime time) => new(time.Ticks, TimeSpan.Zero);
}
