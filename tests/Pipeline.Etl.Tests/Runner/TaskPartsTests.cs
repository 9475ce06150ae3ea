using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Runner;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>The parts of a task alone.</summary>
public sealed class TaskPartsTests
{
    [Fact]
    public void A_failing_change_is_separated_once_and_counts_failures_in_a_row()
    {
        var failing = new FailingChange();
        Assert.True(failing.SeparateFrom(7));
        Assert.False(failing.SeparateFrom(7));
        Assert.Equal(7, failing.Separate);

        Assert.Equal(1, failing.RunsAt(7));
        failing.KeepRuns(7, 1);
        Assert.Equal(2, failing.RunsAt(7));
        Assert.Equal(1, failing.RunsAt(8));
        failing.ForgetRuns();
        Assert.Equal(1, failing.RunsAt(7));

        Assert.Equal([1, 2, 1], new[] { 7L, 7, 8 }.Select(failing.CountOversize));
    }

    [Fact]
    public void A_wake_signal_stays_pending_until_the_task_has_looked()
    {
        var wake = new WakeSignal();
        Assert.False(wake.IsPending);
        wake.Set();
        Assert.True(wake.IsSet && wake.WhenSet.IsCompleted);
        wake.BeginLook();
        Assert.True(wake.IsPending && !wake.IsSet);
        wake.EndLook();
        Assert.False(wake.IsPending);
    }

    [Fact]
    public void A_replay_does_not_send_messages_of_keys_that_the_live_tail_has_sent()
    {
        var order = new ReplayOrder("t");
        order.Begin(through: 10);
        Assert.False(order.Follow(Batch(BatchOrigin.Feed, 12, Message(11, "a"), Message(12, null))));

        var part = Batch(BatchOrigin.Replay, 12, Message(3, "a"), Message(4, "b"));
        Assert.False(order.Follow(part));
        Assert.Equal([4], part.Messages.Select(m => m.Position));

        var last = Batch(BatchOrigin.Replay, 12, Message(9, "a"));
        last.EndsReplay = true;
        Assert.True(order.Follow(last));
        Assert.Empty(last.Messages);

        var next = Batch(BatchOrigin.Replay, 12, Message(3, "a"));
        Assert.False(order.Follow(next));
        Assert.Single(next.Messages);
    }

    [Fact]
    public void A_batch_is_in_flight_until_it_is_released_and_is_then_reused()
    {
        var queue = new BatchQueue();
        var first = queue.NewBatch();
        Assert.True(queue.HandOnAsync(first, CancellationToken.None).IsCompletedSuccessfully);
        Assert.False(queue.HandOnAsync(queue.NewBatch(), CancellationToken.None).IsCompleted);
        Assert.True(queue.IsBusy);

        Assert.True(queue.TryRead(out var read));
        Assert.Same(first, read);
        queue.Release(read);
        Assert.True(queue.IsBusy);
        Assert.Same(first, queue.NewBatch());
    }

    [Fact]
    public void A_message_that_its_target_never_takes_holds_the_later_ones_of_its_key()
    {
        var faults = new KnownFaults(new PickySink(), new DeadLetterIndex("t"), holdsKeys: true);
        List<OutgoingMessage> messages =
        [
            Message(1, "a"),
            Message(2, "a", fault: "too large"),
            Message(3, "a"),
            Message(4, "b"),
        ];
        var known = faults.Find(messages);
        Assert.Equal([2, 3], known.Keys.Select(m => m.Position).Order());
        Assert.Equal(FailureClass.Oversize, known[messages[1]].Class);
        Assert.Equal(FailureClass.Held, known[messages[2]].Class);

        Assert.Single(new KnownFaults(new PickySink(), new DeadLetterIndex("t"), holdsKeys: false).Find(messages));
    }

    [Fact]
    public void A_refused_message_adds_the_later_ones_of_its_key()
    {
        var faults = new KnownFaults(new PickySink(), new DeadLetterIndex("t"), holdsKeys: true);
        List<OutgoingMessage> messages = [Message(1, "a"), Message(2, "b"), Message(3, "a")];
        var known = new Dictionary<OutgoingMessage, FailedMessage>(ReferenceEqualityComparer.Instance);
        Assert.False(
            faults.AddHeld(messages, [FailedMessage.Unfit(messages[1], "no", isOversize: false, attempts: 1)], known)
        );
        Assert.Empty(known);
        Assert.True(
            faults.AddHeld(messages, [FailedMessage.Unfit(messages[0], "no", isOversize: false, attempts: 1)], known)
        );
        Assert.Equal(
            [FailureClass.Permanent, FailureClass.Held],
            new[] { messages[0], messages[2] }.Select(m => known[m].Class)
        );
    }

    [Fact]
    public void A_delivery_gives_each_failed_message_its_class()
    {
        OutgoingMessage[] messages = [Message(1, "a"), Message(2, "b")];
        var sent = Delivery.Sent([new MessageFailure(messages[1], "too large") { IsOversize = true }], attempts: 2);
        Assert.Equal(DeliveryOutcome.Sent, sent.Outcome);
        Assert.Equal(new FailedMessage(messages[1], "too large", FailureClass.Oversize, 2), Assert.Single(sent.Failed));

        var givenUp = Delivery.GivenUp(messages, new ConnectorException("c", "down", isTransient: true), attempts: 5);
        Assert.Equal(DeliveryOutcome.GivenUp, givenUp.Outcome);
        Assert.Equal([FailureClass.Transient, FailureClass.Transient], givenUp.Failed.Select(f => f.Class));
        Assert.Empty(Delivery.AlreadySent.Failed);
    }

    private static PreparedBatch Batch(BatchOrigin origin, long position, params OutgoingMessage[] messages)
    {
        var batch = new PreparedBatch { Origin = origin, Position = position };
        batch.Messages.AddRange(messages);
        return batch;
    }

    private static OutgoingMessage Message(long position, string? key, string fault = "") =>
        new()
        {
            Destination = "out",
            Id = $"m{position}",
            Source = fault,
            Type = "t",
            Subject = $"d/{position}",
            Time = default,
            Key = key,
            Body = default,
            Position = position,
        };

    /// <summary>A target that never takes messages whose source names a fault.</summary>
    private sealed class PickySink : IMessageSink
    {
        public ValueTask<long?> ConnectAsync(CancellationToken cancellationToken) => new((long?)null);

        public string? FindFault(OutgoingMessage message) => message.Source.Length > 0 ? message.Source : null;

        public bool IsOversize(OutgoingMessage message) => message.Source.Length > 0;

        public ValueTask<IReadOnlyList<MessageFailure>> SendAsync(
            MessageBatch batch,
            CancellationToken cancellationToken
        ) => new([]);

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
