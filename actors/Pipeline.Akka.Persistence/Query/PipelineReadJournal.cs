using Akka;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Journal;
using Akka.Persistence.Query;
using Akka.Streams.Dsl;
using Pipeline.Akka.Persistence.Connections;
using Pipeline.Akka.Persistence.Serialization;
using Pipeline.Documents;
using Pipeline.Documents.Events;

namespace Pipeline.Akka.Persistence.Query;

/// <summary>
/// All queries of Akka.Persistence.Query, current and live, and some more. Offsets are the database's positions
/// (<see cref="Sequence"/>): in commit order, without gaps. Commits wake live queries. A query that starts with the
/// offset of the last processed event continues after it. Thread-safe.
/// </summary>
/// <remarks>Events whose key was destroyed are omitted.</remarks>
public sealed class PipelineReadJournal
    : IPersistenceIdsQuery,
        ICurrentPersistenceIdsQuery,
        IEventsByPersistenceIdQuery,
        ICurrentEventsByPersistenceIdQuery,
        IEventsByTagQuery,
        ICurrentEventsByTagQuery,
        IAllEventsQuery,
        ICurrentAllEventsQuery
{
    /// <summary>The path of the plugin's settings.</summary>
    public const string Identifier = "akka.persistence.query.journal.pipeline";

    private readonly PipelinePersistence _persistence;
    private readonly ConnectionPlace _place;
    private readonly EventCodec _codec;
    private readonly EventAdapters _adapters;
    private readonly ChangeLimits _limits;

    internal PipelineReadJournal(ExtendedActorSystem system, Config config)
    {
        _persistence = PipelinePersistence.Get(system);
        config = PluginConfig.Complete(config, Identifier);
        var journal = config.GetString("write-plugin", "");
        var settings =
            system.Settings.Config.GetConfig(journal)
            ?? throw new ConfigurationException(
                $"The read journal is to read what '{journal}' writes (write-plugin), but there is no such plugin."
            );
        settings = PluginConfig.Complete(settings, "akka.persistence.journal.pipeline");
        _place = ConnectionPlace.Read(settings, journal);
        _codec = new EventCodec(system, settings);
        _adapters = global::Akka.Persistence.Persistence.Instance.Apply(system).AdaptersFor(journal);
        _limits = new ChangeLimits(Math.Max(1, config.GetInt("batch-size")), 1024 * 1024);
    }

    /// <summary>The defaults of all settings.</summary>
    public static Config DefaultConfiguration() => PipelinePersistence.DefaultConfiguration();

    /// <inheritdoc/>
    public Source<string, NotUsed> PersistenceIds() => Ids(live: true);

    /// <inheritdoc/>
    public Source<string, NotUsed> CurrentPersistenceIds() => Ids(live: false);

    /// <inheritdoc/>
    public Source<EventEnvelope, NotUsed> EventsByPersistenceId(
        string persistenceId,
        long fromSequenceNr,
        long toSequenceNr
    ) => Stream(persistenceId, fromSequenceNr, toSequenceNr, live: true);

    /// <inheritdoc/>
    public Source<EventEnvelope, NotUsed> CurrentEventsByPersistenceId(
        string persistenceId,
        long fromSequenceNr,
        long toSequenceNr
    ) => Stream(persistenceId, fromSequenceNr, toSequenceNr, live: false);

    /// <inheritdoc/>
    public Source<EventEnvelope, NotUsed> EventsByTag(string tag, Offset offset) =>
        Events(EventFilter.WithTag(tag), offset, live: true);

    /// <inheritdoc/>
    public Source<EventEnvelope, NotUsed> CurrentEventsByTag(string tag, Offset offset) =>
        Events(EventFilter.WithTag(tag), offset, live: false);

    /// <inheritdoc/>
    public Source<EventEnvelope, NotUsed> AllEvents(Offset offset) => Events(EventFilter.All, offset, live: true);

    /// <inheritdoc/>
    public Source<EventEnvelope, NotUsed> CurrentAllEvents(Offset offset) =>
        Events(EventFilter.All, offset, live: false);

    /// <summary>Events by several tags and by time.</summary>
    /// <param name="filter">Which events to return.</param>
    /// <param name="offset">The offset after which to start.</param>
    /// <param name="live">Whether to continue with each commit, or to end with the present events.</param>
    public Source<EventEnvelope, NotUsed> Events(EventFilter filter, Offset offset, bool live)
    {
        var start = offset switch
        {
            null or NoOffset => 0,
            Sequence sequence => Math.Max(0, sequence.Value),
            _ => throw new ArgumentException(
                $"An offset of this journal is a Sequence or NoOffset; {offset.GetType().Name} is neither.",
                nameof(offset)
            ),
        };
        return Source.FromGraph(
            new PageSource<EventEnvelope>(() =>
            {
                (var after, long end) = (start, -1);
                return async ct =>
                {
                    var connection = _persistence.Connect(_place);
                    if (end < 0)
                        end = live ? long.MaxValue : await connection.GetLastPositionAsync(ct).ConfigureAwait(false);
                    while (true)
                    {
                        using var batch = await connection.ReadAsync(after, filter, _limits, ct).ConfigureAwait(false);
                        after = batch.Through;
                        var envelopes = ToEnvelopes(batch, end);
                        var isLast = after >= end || (!live && !batch.HasMore);
                        if (isLast || envelopes.Count > 0)
                            return new Page<EventEnvelope>(envelopes, isLast);
                        if (!batch.HasMore)
                            await connection.WaitAsync(after, ct).ConfigureAwait(false);
                    }
                };
            })
        );
    }

    private Source<EventEnvelope, NotUsed> Stream(
        string persistenceId,
        long fromSequenceNr,
        long toSequenceNr,
        bool live
    ) =>
        Source.FromGraph(
            new PageSource<EventEnvelope>(() =>
            {
                (var from, long end) = (Math.Max(1, fromSequenceNr), -1);
                return async ct =>
                {
                    var connection = _persistence.Connect(_place);
                    if (end < 0)
                    {
                        end = live
                            ? toSequenceNr
                            : Math.Min(
                                toSequenceNr,
                                await connection.GetHighestSequenceAsync(persistenceId, ct).ConfigureAwait(false)
                            );
                    }

                    while (true)
                    {
                        if (from > end)
                            return new Page<EventEnvelope>([], true);
                        var seen = await connection.GetLastPositionAsync(ct).ConfigureAwait(false);
                        using var batch = await connection
                            .ReadStreamAsync(persistenceId, from, end, _limits, ct)
                            .ConfigureAwait(false);
                        var envelopes = ToEnvelopes(batch, long.MaxValue);
                        if (batch.Count > 0)
                            from = batch[^1].SequenceNumber + 1;
                        var isLast = from > end || (!live && !batch.HasMore);
                        if (isLast || envelopes.Count > 0)
                            return new Page<EventEnvelope>(envelopes, isLast);
                        if (!batch.HasMore)
                            await connection.WaitAsync(seen, ct).ConfigureAwait(false);
                    }
                };
            })
        );

    private Source<string, NotUsed> Ids(bool live) =>
        Source.FromGraph(
            new PageSource<string>(() =>
            {
                long after = 0;
                return async ct =>
                {
                    var connection = _persistence.Connect(_place);
                    while (true)
                    {
                        var seen = await connection.GetLastPositionAsync(ct).ConfigureAwait(false);
                        var streams = await connection
                            .ReadStreamsAsync(after, _limits.MaxCount, ct)
                            .ConfigureAwait(false);
                        if (streams.Count > 0)
                            after = streams[^1].Number;
                        var isLast = !live && streams.Count < _limits.MaxCount;
                        if (isLast || streams.Count > 0)
                            return new Page<string>([.. streams.Select(s => s.StreamId)], isLast);
                        await connection.WaitAsync(seen, ct).ConfigureAwait(false);
                    }
                };
            })
        );

    private List<EventEnvelope> ToEnvelopes(EventBatch batch, long end)
    {
        var envelopes = new List<EventEnvelope>(batch.Count);
        for (var i = 0; i < batch.Count; i++)
        {
            var item = batch[i];
            if (item.Position > end)
                break;
            if (item.IsKeyDestroyed)
                continue;
            var decoded = _codec.Decode(item);
            foreach (
                var payload in _adapters
                    .Get(decoded.Payload.GetType())
                    .FromJournal(decoded.Payload, decoded.Manifest)
                    .Events
            )
            {
                envelopes.Add(
                    new EventEnvelope(
                        new Sequence(item.Position),
                        item.StreamId,
                        item.SequenceNumber,
                        payload,
                        item.Timestamp.Ticks,
                        [.. item.Tags]
                    )
                );
            }
        }

        return envelopes;
    }
}
