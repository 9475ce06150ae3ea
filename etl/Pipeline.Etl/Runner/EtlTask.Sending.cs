using System.Globalization;
using System.Threading.Channels;
using Pipeline.Etl.Connectors;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

internal sealed partial class EtlTask
{
    /// <summary>How far the position in memory may be ahead of the durable one where nothing was sent between: what a restart reads again for nothing.</summary>
    private const long MaxUnstoredPositions = 16_384;

    private static readonly TimeSpan StoreTimeout = TimeSpan.FromSeconds(2);

    private sealed class Sender(EtlTask owner, IMessageSink sink, DurableCursor cursor)
    {
        private readonly List<KeyValuePair<string, ReadOnlyMemory<byte>>> _letters = [];
        private readonly HashSet<OutgoingMessage> _stored = new(ReferenceEqualityComparer.Instance);
        private bool _connected;
        private long _remembered;
        private int _attempts;

        /// <summary>Everything up to here is confirmed by the target or did not match.</summary>
        public long Position { get; private set; } = cursor.Position;

        /// <summary>Connects, however often it takes, and takes over the position that the target remembers.</summary>
        public async Task ConnectAsync(CancellationToken stop)
        {
            for (int attempt = 1; !_connected; attempt++)
            {
                try
                {
                    await ConnectOnceAsync(stop).ConfigureAwait(false);
                    if (attempt > 1) owner._logger.Recovered(owner._task.Name, owner._plan.Connection.Name);
                }
                catch (ConnectorException e)
                {
                    await WaitAfterAsync(e, attempt, stop).ConfigureAwait(false);
                }
            }

            if (_remembered > Position) Position = _remembered;
            owner._progress.MoveTo(Position);
        }

        public async Task RunAsync(ChannelReader<PreparedBatch> queue, InFlightGate gate, CancellationToken stop)
        {
            await foreach (PreparedBatch batch in queue.ReadAllAsync(stop).ConfigureAwait(false))
            {
                await DeliverAsync(batch, stop).ConfigureAwait(false);
                owner._free.Add(batch);
                gate.Leave();
            }
        }

        /// <summary>Stores a position that moved without anything being sent, so that the next start does not read that stretch again.</summary>
        public async Task StoreSkippedAsync()
        {
            if (Position <= cursor.Position) return;
            using var timeout = new CancellationTokenSource(StoreTimeout, owner._time);
            await cursor.AcknowledgeAsync(Position, [], timeout.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        private async Task DeliverAsync(PreparedBatch batch, CancellationToken stop)
        {
            if (batch.IsEmpty)
            {
                if (batch.Position - cursor.Position >= MaxUnstoredPositions) await cursor.AcknowledgeAsync(batch.Position, [], stop).ConfigureAwait(false);
                Complete(batch, [], 0);
                return;
            }

            owner._progress.SetState(EtlTaskState.Running);
            using var activity = EtlTelemetry.Activities.StartActivity("etl send");
            activity?.SetTag(EtlTelemetry.TaskTag, owner._task.Name);
            activity?.SetTag("messaging.batch.message_count", batch.Messages.Count);
            long started = owner._time.GetTimestamp();

            List<OutgoingMessage> messages = TakeOutFaulty(batch);
            if (_letters.Count > 0 && messages.Count > 0) await cursor.AcknowledgeAsync(0, _letters, stop).ConfigureAwait(false);
            IReadOnlyList<MessageFailure> refused = messages.Count == 0 ? [] : await SendAsync(NewBatch(messages, batch), stop).ConfigureAwait(false);
            int letters = _letters.Count + refused.Count;
            if (messages.Count > 0) _letters.Clear();
            AddLetters(_letters, refused.Where(f => !_stored.Contains(f.Message)).Select(f => (f.Message, f.Reason, Math.Max(_attempts, 1))), batch.Messages);
            await cursor.AcknowledgeAsync(batch.Position, _letters, stop).ConfigureAwait(false);

            EtlTelemetry.SendDuration.Record(owner._time.GetElapsedTime(started).TotalSeconds, owner._tag);
            EtlTelemetry.BatchSize.Record(messages.Count, owner._tag);
            var refusedMessages = new HashSet<OutgoingMessage>(refused.Select(f => f.Message), ReferenceEqualityComparer.Instance);
            Complete(batch, refusedMessages.Count == 0 ? messages : messages.Where(m => !refusedMessages.Contains(m)), letters);
        }

        private MessageBatch NewBatch(List<OutgoingMessage> messages, PreparedBatch batch)
        {
            _stored.Clear();
            return new MessageBatch(messages, batch.Position)
            {
                StoreRefused = async (refused, cancellationToken) =>
                {
                    var letters = new List<KeyValuePair<string, ReadOnlyMemory<byte>>>(refused.Count);
                    AddLetters(letters, refused.Where(f => !_stored.Contains(f.Message)).Select(f => (f.Message, f.Reason, Math.Max(_attempts, 1))), batch.Messages);
                    await cursor.AcknowledgeAsync(0, letters, cancellationToken).ConfigureAwait(false);
                    foreach (MessageFailure failure in refused) _stored.Add(failure.Message);
                },
            };
        }

        /// <summary>The messages that the target can take; those it never will, and what the transform failed on, become dead letters.</summary>
        private List<OutgoingMessage> TakeOutFaulty(PreparedBatch batch)
        {
            _letters.Clear();
            _letters.AddRange(batch.DeadLetters);
            List<(OutgoingMessage, string, int)>? faulty = null;
            foreach (OutgoingMessage message in batch.Messages)
            {
                if (sink.FindFault(message) is { } reason) (faulty ??= []).Add((message, reason, 0));
            }

            if (faulty is null) return batch.Messages;
            AddLetters(_letters, faulty, batch.Messages);
            var without = new HashSet<OutgoingMessage>(faulty.Select(f => f.Item1), ReferenceEqualityComparer.Instance);
            return [.. batch.Messages.Where(m => !without.Contains(m))];
        }

        private void AddLetters(
            List<KeyValuePair<string, ReadOnlyMemory<byte>>> letters, IEnumerable<(OutgoingMessage Message, string Reason, int Attempts)> failures, List<OutgoingMessage> all)
        {
            IFeedSnapshot? snapshot = null;
            try
            {
                foreach ((OutgoingMessage message, string reason, int attempts) in failures)
                {
                    snapshot ??= owner._feed.OpenSnapshot();
                    int index = all.IndexOf(message), first = index;
                    while (first > 0 && all[first - 1].Position == message.Position) first--;
                    letters.Add(owner._senderDeadLetters.ForMessage(message, index - first, reason, attempts, snapshot));
                    owner._logger.DeadLettered(owner._task.Name, message.Subject, reason);
                }
            }
            finally
            {
                snapshot?.Dispose();
            }
        }

        private async Task<IReadOnlyList<MessageFailure>> SendAsync(MessageBatch batch, CancellationToken stop)
        {
            for (_attempts = 1; ; _attempts++)
            {
                try
                {
                    if (!_connected)
                    {
                        await ConnectOnceAsync(stop).ConfigureAwait(false);
                        // The answer to the last try may be all that was lost.
                        if (_remembered >= batch.Position) return [];
                    }

                    IReadOnlyList<MessageFailure> refused = await sink.SendAsync(batch, stop).ConfigureAwait(false);
                    if (_attempts > 1) owner._logger.Recovered(owner._task.Name, owner._plan.Connection.Name);
                    return refused;
                }
                catch (ConnectorException e)
                {
                    _connected = false;
                    await WaitAfterAsync(e, _attempts, stop).ConfigureAwait(false);
                }
            }
        }

        private async Task ConnectOnceAsync(CancellationToken stop)
        {
            _remembered = await sink.ConnectAsync(stop).ConfigureAwait(false) ?? 0;
            if (_remembered > owner._feed.LastPosition)
            {
                throw new InvalidOperationException(string.Create(CultureInfo.InvariantCulture, $"The target of '{owner._task.Name}' has position {_remembered}, the database only {owner._feed.LastPosition}: was it restored from a backup? Sending on would leave changes out. Give the task a new name, or restore the newer data."));
            }

            _connected = true;
        }

        private async Task WaitAfterAsync(ConnectorException error, int attempt, CancellationToken stop)
        {
            TimeSpan delay = owner._backoff.Next(attempt, error.IsTransient);
            if (error.IsTransient) owner._logger.Retrying(owner._task.Name, error.Connection, attempt, delay, error.Message);
            else owner._logger.Refused(owner._task.Name, error.Connection, attempt, delay, error.Message);
            EtlTaskState state = error.IsTransient ? EtlTaskState.Retrying : EtlTaskState.Failed;
            if (!await owner.WaitAsync(state, error.Message, error.IsTransient, attempt, delay, stop).ConfigureAwait(false)) stop.ThrowIfCancellationRequested();
        }

        private void Complete(PreparedBatch batch, IEnumerable<OutgoingMessage> sent, int letters)
        {
            long count = 0, bytes = 0;
            foreach (OutgoingMessage message in sent)
            {
                count++;
                bytes += message.Body.Length;
            }

            Position = batch.Position;
            owner._progress.Complete(batch, count, bytes, letters);
            EtlTelemetry.Documents.Add(batch.Documents, owner._tag);
            EtlTelemetry.Filtered.Add(batch.Filtered, owner._tag);
            EtlTelemetry.Messages.Add(count, owner._tag);
            EtlTelemetry.Bytes.Add(bytes, owner._tag);
            if (letters > 0) EtlTelemetry.DeadLetters.Add(letters, owner._tag);
        }
    }
}
