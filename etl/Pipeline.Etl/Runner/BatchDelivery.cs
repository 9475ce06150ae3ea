using System.Diagnostics;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>
/// Delivers one batch of the live tail or of a replay: dead letters first, then the messages to the target, then the
/// position to the database.
/// </summary>
internal sealed class BatchDelivery(
    TaskContext context,
    DurableCursor cursor,
    SentPosition position,
    TargetSession target,
    KnownFaults faults,
    MessageLetters letters,
    FailingChange failing
)
{
    // The number of links per span that OpenTelemetry collectors accept by default.
    private const int MaxLinks = 128;

    // Refused messages whose letters were stored before the target's commit.
    private readonly HashSet<OutgoingMessage> _stored = new(ReferenceEqualityComparer.Instance);

    /// <summary>
    /// Whether the task fails at a message that is too large before its error policy decides; <see langword="null"/> if
    /// not.
    /// </summary>
    public OversizeStop? Oversize { get; init; }

    /// <summary>Adapts the size of batches to the time that the target takes.</summary>
    public required BatchSizer Sizer { get; init; }

    /// <summary>Delivers a batch. When it completes, the effect of every change in it is durable.</summary>
    public async Task DeliverAsync(PreparedBatch batch, CancellationToken stop)
    {
        context.Progress.SetState(EtlTaskState.Running);
        using var activity = StartSend(batch.Messages);
        activity?.SetTag(EtlTelemetry.TaskTag, context.Name);
        activity?.SetTag("messaging.batch.message_count", batch.Messages.Count);
        var started = context.Time.GetTimestamp();
        var known = faults.Find(batch.Messages);
        // With onError: stop the task stops at it anyway.
        if (batch.Origin != BatchOrigin.Replay && context.Task.OnError != ErrorPolicy.Stop)
            Oversize?.Check(batch.Messages, known);
        TimeSpan? sent;
        do sent = await TryDeliverAsync(batch, known, stop).ConfigureAwait(false);
        while (sent is null);

        if (batch.Messages.Count > 0)
            Sizer.ObserveSent(batch.Documents, sent.Value);
        var took = context.Time.GetElapsedTime(started);
        EtlTelemetry.SendDuration.Record(took.TotalSeconds, context.Tag);
        context.Progress.AddTimes(send: took);
    }

    /// <summary>The error policy for a batch. Faults of a replay must not delay live changes.</summary>
    private ErrorPolicy PolicyFor(bool isReplay) =>
        context.Task.OnError == ErrorPolicy.Stop && isReplay ? ErrorPolicy.Park : context.Task.OnError;

    /// <returns>
    /// How long the target took, or <see langword="null"/> if more messages turned out to be held and the rest must be
    /// resent.
    /// </returns>
    private async Task<TimeSpan?> TryDeliverAsync(
        PreparedBatch batch,
        Dictionary<OutgoingMessage, FailedMessage> known,
        CancellationToken stop
    )
    {
        var isReplay = batch.Origin == BatchOrigin.Replay;
        var policy = PolicyFor(isReplay);
        var through = isReplay ? position.Value : batch.Position;
        if (policy == ErrorPolicy.Stop && known.Count > 0)
            through = known.Values.Min(f => f.Message.Position) - 1;
        var messages =
            known.Count == 0
                ? batch.Messages
                : [.. batch.Messages.Where(m => !known.ContainsKey(m) && (isReplay || m.Position <= through))];
        var parked = new List<KeyValuePair<string, ReadOnlyMemory<byte>>>(batch.DeadLetters);
        if (policy != ErrorPolicy.Stop)
            letters.Add(parked, known.Values, batch.Messages);
        var storesFirst = parked.Count > 0 && messages.Count > 0;
        if (storesFirst)
            await cursor.AcknowledgeAsync(0, parked, stop).ConfigureAwait(false);
        var count = parked.Count;

        (IReadOnlyList<FailedMessage> refused, TimeSpan took) = ([], default);
        if (messages.Count > 0)
        {
            var delivery = await target
                .SendAsync(NewBatch(messages, through, batch, known), stop)
                .ConfigureAwait(false);
            if (delivery.Outcome == DeliveryOutcome.Resend)
                return null;
            (refused, took) = (delivery.Failed, target.Took);
        }

        if (storesFirst)
            parked.Clear();
        if (policy == ErrorPolicy.Stop && refused.Count > 0)
            through = Math.Min(through, refused.Min(f => f.Message.Position) - 1);
        else
            letters.Add(parked, refused.Where(f => !_stored.Contains(f.Message)), batch.Messages);
        count += refused.Count;
        if (through > position.Value || parked.Count > 0 || !batch.Effects.IsEmpty || context.Task.DeleteAfterSend)
        {
            await cursor
                .AcknowledgeAsync(isReplay ? 0 : through, parked, Effects(batch, messages, known, refused), stop)
                .ConfigureAwait(false);
        }

        EtlTelemetry.BatchSize.Record(messages.Count, context.Tag);
        if (policy == ErrorPolicy.Stop && through < batch.Position)
            throw StopBefore(known.Values.Concat(refused).MinBy(f => f.Message.Position)!, through);
        foreach (var failure in known.Values.Concat(refused))
            batch.Failures.Add(failure.Class);
        var without = new HashSet<OutgoingMessage>(refused.Select(f => f.Message), ReferenceEqualityComparer.Instance);
        position.Complete(
            batch,
            without.Count == 0 ? messages : messages.Where(m => !without.Contains(m)),
            policy == ErrorPolicy.Skip ? 0 : count
        );
        return took;
    }

    /// <summary>
    /// The effects that commit with the position. With <c>deleteAfterSend</c> they include the deletion of every
    /// document whose messages are all confirmed.
    /// </summary>
    private FeedEffects Effects(
        PreparedBatch batch,
        List<OutgoingMessage> sent,
        Dictionary<OutgoingMessage, FailedMessage> known,
        IReadOnlyList<FailedMessage> refused
    )
    {
        // Before the change that stops the task, it is unknown which messages of dependents were sent.
        if (
            PolicyFor(batch.Origin == BatchOrigin.Replay) == ErrorPolicy.Stop
            && context.FollowsLoads
            && known.Count + refused.Count > 0
        )
        {
            return FeedEffects.None;
        }

        if (!context.Task.DeleteAfterSend)
            return batch.Effects;
        HashSet<long> failed = [.. known.Keys.Select(m => m.Position), .. refused.Select(f => f.Message.Position)];
        return batch.Effects with
        {
            Deletes =
            [
                .. sent.Where(m => !m.IsDeletion && !failed.Contains(m.Position))
                    .Select(m => new KeyValuePair<string, long>(m.Subject, m.Position))
                    .Distinct(),
            ],
        };
    }

    private TaskStoppedException StopBefore(FailedMessage failed, long through)
    {
        failing.SeparateFrom(failed.Message.Position);
        if (through > position.Value)
            position.MoveTo(through);
        return new TaskStoppedException(failed.Message.Subject, failed.Reason, failed.Class);
    }

    private MessageBatch NewBatch(
        List<OutgoingMessage> messages,
        long through,
        PreparedBatch batch,
        Dictionary<OutgoingMessage, FailedMessage> known
    )
    {
        _stored.Clear();
        var isReplay = batch.Origin == BatchOrigin.Replay;
        return new MessageBatch(messages, through)
        {
            LeavesPosition = isReplay || batch.LeavesPosition,
            StoreRefused = async (failures, cancellationToken) =>
            {
                List<FailedMessage> refused =
                [
                    .. Delivery.Sent(failures, target.Attempts).Failed.Where(f => !_stored.Contains(f.Message)),
                ];
                if (refused.Count == 0)
                    return;
                if (PolicyFor(isReplay) == ErrorPolicy.Stop)
                    throw StopBefore(refused.MinBy(f => f.Message.Position)!, position.Value);
                if (faults.AddHeld(messages, refused, known))
                    throw new ResendException();
                var parked = new List<KeyValuePair<string, ReadOnlyMemory<byte>>>(refused.Count);
                letters.Add(parked, refused, batch.Messages);
                if (parked.Count > 0)
                    await cursor.AcknowledgeAsync(0, parked, cancellationToken).ConfigureAwait(false);
                foreach (var failure in refused)
                    _stored.Add(failure.Message);
            },
        };
    }

    /// <summary>
    /// Starts the span of sending a batch. It links to the traces that the batch's messages belong to.
    /// </summary>
    private static Activity? StartSend(IReadOnlyList<OutgoingMessage> messages)
    {
        if (!EtlTelemetry.Activities.HasListeners())
            return null;
        var links = messages
            .Select(m => m.TraceParent)
            .OfType<string>()
            .Distinct()
            .Take(MaxLinks)
            .Select(t =>
                ActivityContext.TryParse(t, null, isRemote: true, out var context) ? new ActivityLink(context) : default
            )
            .Where(l => l.Context != default);
        return EtlTelemetry.Activities.StartActivity(
            "etl send",
            ActivityKind.Producer,
            parentContext: default,
            links: links
        );
    }
}
