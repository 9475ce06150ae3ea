using System.Collections.Immutable;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence;
using Akka.Persistence.Journal;
using Pipeline.Akka.Persistence.Connections;
using Pipeline.Akka.Persistence.Serialization;
using Pipeline.Database;
using Pipeline.Database.Events;

namespace Pipeline.Akka.Persistence;

/// <summary>The journal: each batch of an actor is one append, which shares its commit with those of other actors.</summary>
/// <remarks>
/// Where the database cannot be opened or reached every operation fails with the cause, and the next one tries again: the journal never ends by itself. A second writer of a persistence id is refused
/// with an <see cref="EventConflictException"/>.
/// </remarks>
[SuppressMessage("Reliability", "CA1001", Justification = "The source has no timer; PostStop cancels it.")]
public sealed class PipelineJournal : AsyncWriteJournal
{
    private readonly ILoggingAdapter _log = Context.GetLogger();
    private readonly CancellationTokenSource _stop = new();
    private readonly PipelinePersistence _persistence;
    private readonly ConnectionPlace _place;
    private readonly EventCodec _codec;
    private readonly string _plugin;
    private readonly ChangeLimits _replay;
    private readonly string? _documents;

    /// <summary>Makes the journal of a plugin.</summary>
    /// <param name="config">The plugin's settings.</param>
    /// <exception cref="ConfigurationException">They do not say where events are.</exception>
    public PipelineJournal(Config config)
    {
        _plugin = Self.Path.Name;
        var system = (ExtendedActorSystem)Context.System;
        _persistence = PipelinePersistence.Get(system);
        config = PluginConfig.Complete(config, "akka.persistence.journal.pipeline");
        _place = ConnectionPlace.Read(config, _plugin);
        _codec = new EventCodec(system, config);
        _documents = config.GetBoolean("documents.enabled") ? config.GetString("documents.collection", "Events") : null;
        _replay = new ChangeLimits(Math.Max(1, config.GetInt("replay-batch-size")), 4 * 1024 * 1024);
    }

    /// <inheritdoc/>
    public override async Task ReplayMessagesAsync(IActorContext context, string persistenceId, long fromSequenceNr, long toSequenceNr, long max, Action<IPersistentRepresentation> recoveryCallback)
    {
        if (max <= 0) return;
        using Activity? activity = PersistenceTelemetry.Start("replay", _plugin, persistenceId);
        IEventConnection connection = Connect();

        // Off the caller's thread: a long replay is no reason for others to wait.
        await Task.Yield();
        long replayed = 0;
        for (long from = Math.Max(1, fromSequenceNr); replayed < max;)
        {
            ChangeLimits limits = _replay with { MaxCount = (int)Math.Min(_replay.MaxCount, max - replayed) };
            using EventBatch batch = await connection.ReadStreamAsync(persistenceId, from, toSequenceNr, limits, _stop.Token).ConfigureAwait(false);
            for (int i = 0; i < batch.Count; i++)
            {
                StoredEvent item = batch[i];
                if (item.IsKeyDestroyed) throw new StreamKeyDestroyedException(persistenceId);
                recoveryCallback(_codec.Decode(item));
            }

            replayed += batch.Count;
            from = batch.Through + 1;
            if (!batch.HasMore) break;
        }

        PersistenceTelemetry.Replayed(_plugin, replayed);
    }

    /// <inheritdoc/>
    public override Task<long> ReadHighestSequenceNrAsync(string persistenceId, long fromSequenceNr) => Connect().GetHighestSequenceAsync(persistenceId, _stop.Token);

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
            _log.Error(e, "The journal '{0}' has no database yet; each operation tries again.", _plugin);
        }
    }

    /// <inheritdoc/>
    protected override void PostStop()
    {
        _stop.Cancel();
        base.PostStop();
    }

    /// <inheritdoc/>
    protected override async Task<IImmutableList<Exception?>?> WriteMessagesAsync(IEnumerable<AtomicWrite> messages)
    {
        long started = Stopwatch.GetTimestamp();
        IEventConnection connection = Connect();
        var appends = new List<(string StreamId, List<EventData> Events)>(1);
        var rejected = new List<Exception?>();
        bool any = false;
        foreach (AtomicWrite write in messages)
        {
            try
            {
                var events = new List<EventData>(write.Size);
                foreach (IPersistentRepresentation item in (IEnumerable<IPersistentRepresentation>)write.Payload) events.Add(_codec.Encode(item));
                if (appends.Count > 0 && appends[^1].StreamId == write.PersistenceId) appends[^1].Events.AddRange(events);
                else appends.Add((write.PersistenceId, events));
                rejected.Add(null);
            }
#pragma warning disable CA1031 // What a serializer throws rejects the one write.
            catch (Exception e)
#pragma warning restore CA1031
            {
                rejected.Add(e);
                any = true;
            }
        }

        try
        {
            // All are begun before the first wait, so that whoever asks for the highest number afterwards waits for them.
            if (appends.Count == 1) await connection.AppendAsync(appends[0].StreamId, appends[0].Events, _documents, _stop.Token).ConfigureAwait(false);
            else if (appends.Count > 1) await Task.WhenAll(appends.Select(a => connection.AppendAsync(a.StreamId, a.Events, _documents, _stop.Token)).ToArray()).ConfigureAwait(false);
            PersistenceTelemetry.Written(_plugin, appends, Stopwatch.GetElapsedTime(started));
        }
        catch
        {
            PersistenceTelemetry.Failed(_plugin);
            throw;
        }

        return any ? rejected.ToImmutableList() : null;
    }

    /// <inheritdoc/>
    protected override Task DeleteMessagesToAsync(string persistenceId, long toSequenceNr) => Connect().DeleteAsync(persistenceId, toSequenceNr, _stop.Token);

    private IEventConnection Connect() => _persistence.Connect(_place);
}
