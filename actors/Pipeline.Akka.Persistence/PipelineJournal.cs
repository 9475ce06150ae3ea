using System.Collections.Immutable;
using System.Diagnostics;
using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence;
using Akka.Persistence.Journal;
using Pipeline.Akka.Persistence.Serialization;
using Pipeline.Documents;
using Pipeline.Documents.Events;

namespace Pipeline.Akka.Persistence;

/// <summary>
/// The journal: each batch of an actor is one append, which shares its commit with those of other actors.
/// </summary>
/// <remarks>
/// If the database cannot be opened or reached, every operation fails with the cause and the next one tries again; the
/// journal does not stop by itself. A second writer of a persistence id is refused with an
/// <see cref="EventConflictException"/>.
/// </remarks>
public sealed class PipelineJournal : AsyncWriteJournal
{
    private readonly ILoggingAdapter _log = Context.GetLogger();
    private readonly StoragePlugin _plugin;
    private readonly EventReplay _replay;
    private readonly string? _documents;

    /// <summary>Creates the journal of a plugin.</summary>
    /// <param name="config">The plugin's settings.</param>
    /// <exception cref="ConfigurationException">The settings do not say where events are stored.</exception>
    public PipelineJournal(Config config)
    {
        _plugin = new StoragePlugin(Context, config, "akka.persistence.journal.pipeline");
        config = _plugin.Settings;
        _documents = config.GetBoolean("documents.enabled") ? config.GetString("documents.collection", "Events") : null;
        _replay = new EventReplay(
            _plugin.Codec,
            new ChangeLimits(Math.Max(1, config.GetInt("replay-batch-size")), 4 * 1024 * 1024)
        );
    }

    /// <inheritdoc/>
    public override async Task ReplayMessagesAsync(
        IActorContext context,
        string persistenceId,
        long fromSequenceNr,
        long toSequenceNr,
        long max,
        Action<IPersistentRepresentation> recoveryCallback
    )
    {
        var range = new ReplayRange(persistenceId, Math.Max(1, fromSequenceNr), toSequenceNr, max);
        if (range.IsEmpty)
            return;
        using var activity = PersistenceTelemetry.Start("replay", _plugin.Name, persistenceId);
        PersistenceTelemetry.Replayed(
            _plugin.Name,
            await _replay.RunAsync(_plugin.Connect(), range, recoveryCallback, _plugin.Stopped).ConfigureAwait(false)
        );
    }

    /// <inheritdoc/>
    public override async Task<long> ReadHighestSequenceNrAsync(
        string persistenceId,
        long fromSequenceNr,
        CancellationToken cancellationToken
    )
    {
        using var stop = _plugin.StopOr(cancellationToken);
        return await _plugin.Connect().GetHighestSequenceAsync(persistenceId, stop.Token).ConfigureAwait(false);
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
    protected override async Task<IImmutableList<Exception?>?> WriteMessagesAsync(
        IEnumerable<AtomicWrite> messages,
        CancellationToken cancellationToken
    )
    {
        var started = Stopwatch.GetTimestamp();
        var connection = _plugin.Connect();
        var appends = new List<(string StreamId, List<EventData> Events)>(1);
        var rejected = new List<Exception?>();
        var any = false;
        foreach (var write in messages)
        {
            try
            {
                var events = new List<EventData>(write.Size);
                foreach (var item in (IEnumerable<IPersistentRepresentation>)write.Payload)
                    events.Add(_plugin.Codec.Encode(item));
                if (appends.Count > 0 && appends[^1].StreamId == write.PersistenceId)
                    appends[^1].Events.AddRange(events);
                else
                    appends.Add((write.PersistenceId, events));
                rejected.Add(null);
            }
#pragma warning disable CA1031 // A serializer's error rejects only this write.
            catch (Exception e)
#pragma warning restore CA1031
            {
                rejected.Add(e);
                any = true;
            }
        }

        using var stop = _plugin.StopOr(cancellationToken);
        try
        {
            // All appends start before the first wait, so that a later request for the highest number waits for them.
            if (appends.Count == 1)
            {
                await connection
                    .AppendAsync(appends[0].StreamId, appends[0].Events, _documents, stop.Token)
                    .ConfigureAwait(false);
            }
            else if (appends.Count > 1)
            {
                await Task.WhenAll(
                        appends
                            .Select(a => connection.AppendAsync(a.StreamId, a.Events, _documents, stop.Token))
                            .ToArray()
                    )
                    .ConfigureAwait(false);
            }

            PersistenceTelemetry.Written(_plugin.Name, appends, Stopwatch.GetElapsedTime(started));
        }
        catch
        {
            PersistenceTelemetry.Failed(_plugin.Name);
            throw;
        }

        return any ? rejected.ToImmutableList() : null;
    }

    /// <inheritdoc/>
    protected override async Task DeleteMessagesToAsync(
        string persistenceId,
        long toSequenceNr,
        CancellationToken cancellationToken
    )
    {
        using var stop = _plugin.StopOr(cancellationToken);
        await _plugin.Connect().DeleteAsync(persistenceId, toSequenceNr, stop.Token).ConfigureAwait(false);
    }
}
