using System.Diagnostics;
using System.Threading.Channels;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

internal sealed partial class EtlTask
{
    /// <summary>How far the position in memory may be ahead of the durable one if nothing was sent in between. A restart rereads these changes.</summary>
    private const long MaxUnstoredPositions = 16_384;

    /// <summary>How long the durable position may be behind what the task has passed without sending. Whatever measures the task's lag sees the durable one.</summary>
    private static readonly TimeSpan StoreInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan StoreTimeout = TimeSpan.FromSeconds(2);

    private sealed partial class Sender(EtlTask owner, IMessageSink sink, DurableCursor cursor, TaskRun run)
    {
        private readonly HashSet<OutgoingMessage> _stored = new(ReferenceEqualityComparer.Instance);
        private bool _connected;
        private TargetPosition _remembered;
        private int _attempts;
        private TimeSpan _took;
        private long _aheadSince;

        /// <summary>Everything up to here is confirmed by the target or did not match.</summary>
        public long Position { get; private set; } = cursor.Position;

        // Keys that the live tail has sent since a replay began: what the replay has of them is older.
        private readonly HashSet<string> _newer = new(StringComparer.Ordinal);

        // A replay and its faults must not delay live changes.
        private ErrorPolicy Policy => owner._task.OnError == ErrorPolicy.Stop && _isReplay ? ErrorPolicy.Park : owner._task.OnError;

        private bool _isReplay;

        /// <summary>Connects and adopts the position that the target keeps. Retries as often as the task may, since there is no batch yet to apply the error
        /// policy to.</summary>
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
                    // From here on the batches are tried, each with its own budget.
                    if (attempt >= Budget(e) && owner._task.OnError != ErrorPolicy.Stop && !cursor.AwaitsResync) break;
                    await WaitAfterAsync(e, attempt, stop).ConfigureAwait(false);
                }
            }

            Position = _remembered.Begin(Position, rereads: owner._task.DeleteAfterSend || owner._dependencies is not null);
            owner._progress.MoveTo(Position);
        }

        public async Task RunAsync(ChannelReader<PreparedBatch> queue, InFlightGate gate, CancellationToken stop)
        {
            while (await WaitForBatchAsync(queue, stop).ConfigureAwait(false) && queue.TryRead(out PreparedBatch? batch))
            {
                if (batch.Origin == BatchOrigin.Letters) await DeliverLettersAsync(batch, stop).ConfigureAwait(false);
                else await DeliverAsync(batch, stop).ConfigureAwait(false);
                batch.Loads?.SetDurable();
                if (!batch.IsEmpty) owner._marker?.Forgive();
                owner._free.Add(batch);
                gate.Leave();
                if (owner._readGate.IsClosed) owner._progress.Notify();
            }
        }

        /// <summary>Waits for the next batch. Meanwhile a position that moved without anything being sent is stored, after <see cref="StoreInterval"/>.</summary>
        private async ValueTask<bool> WaitForBatchAsync(ChannelReader<PreparedBatch> queue, CancellationToken stop)
        {
            ValueTask<bool> next = queue.WaitToReadAsync(stop);
            if (Position <= cursor.Position)
            {
                _aheadSince = 0;
                return await next.ConfigureAwait(false);
            }

            if (_aheadSince == 0) _aheadSince = owner._time.GetTimestamp();
            TimeSpan left = StoreInterval - owner._time.GetElapsedTime(_aheadSince);
            if (next.IsCompleted && left > TimeSpan.Zero) return await next.ConfigureAwait(false);
            Task<bool> batch = next.AsTask();
            using var either = CancellationTokenSource.CreateLinkedTokenSource(stop);
            Task delay = left > TimeSpan.Zero ? Task.Delay(left, owner._time, either.Token) : Task.CompletedTask;
            if (await Task.WhenAny(delay, batch).ConfigureAwait(false) == delay && !delay.IsCanceled)
            {
                await cursor.AcknowledgeAsync(Position, [], stop).ConfigureAwait(false);
                _aheadSince = 0;
            }

            await either.CancelAsync().ConfigureAwait(false);
            return await batch.ConfigureAwait(false);
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

            _isReplay = batch.Origin == BatchOrigin.Replay;
            FollowKeys(batch);
            owner._progress.SetState(EtlTaskState.Running);
            using Activity? activity = EtlTelemetry.StartSend(batch.Messages);
            activity?.SetTag(EtlTelemetry.TaskTag, owner._task.Name);
            activity?.SetTag("messaging.batch.message_count", batch.Messages.Count);
            long started = owner._time.GetTimestamp();
            _took = default;
            var known = new Dictionary<OutgoingMessage, FailedMessage>(ReferenceEqualityComparer.Instance);
            FindFaults(batch.Messages, known);
            if (sink.FailsAtOversize) FailAtOversize(batch, known);
            while (!await TryDeliverAsync(batch, known, stop).ConfigureAwait(false))
            {
                // The target has dropped the partly sent batch.
                _connected = false;
            }

            if (batch.Messages.Count > 0) owner._sizer.ObserveSent(batch.Documents, _took);
            TimeSpan took = owner._time.GetElapsedTime(started);
            EtlTelemetry.SendDuration.Record(took.TotalSeconds, owner._tag);
            owner._progress.AddTimes(send: took);
        }

        /// <returns><see langword="false"/> if more messages turned out to be held and the rest must be resent.</returns>
        private async Task<bool> TryDeliverAsync(PreparedBatch batch, Dictionary<OutgoingMessage, FailedMessage> known, CancellationToken stop)
        {
            long position = _isReplay ? Position : batch.Position;
            if (Policy == ErrorPolicy.Stop && known.Count > 0) position = known.Values.Min(f => f.Message.Position) - 1;
            List<OutgoingMessage> messages = known.Count == 0 ? batch.Messages : [.. batch.Messages.Where(m => !known.ContainsKey(m) && (_isReplay || m.Position <= position))];
            var letters = new List<KeyValuePair<string, ReadOnlyMemory<byte>>>(batch.DeadLetters);
            if (Policy != ErrorPolicy.Stop) AddLetters(letters, known.Values, batch.Messages);
            bool storesFirst = letters.Count > 0 && messages.Count > 0;
            if (storesFirst) await cursor.AcknowledgeAsync(0, letters, stop).ConfigureAwait(false);
            int count = letters.Count;

            List<FailedMessage> refused;
            try
            {
                refused = messages.Count == 0 ? [] : [.. (await SendAsync(NewBatch(messages, position, batch, known), stop).ConfigureAwait(false)).Select(f => Refused(f))];
            }
            catch (ResendException)
            {
                return false;
            }
            catch (BudgetSpentException e)
            {
                refused = Spent(messages, e);
            }

            if (storesFirst) letters.Clear();
            if (Policy == ErrorPolicy.Stop && refused.Count > 0) position = Math.Min(position, refused.Min(f => f.Message.Position) - 1);
            else AddLetters(letters, refused.Where(f => !_stored.Contains(f.Message)), batch.Messages);
            count += refused.Count;
            if (position > Position || letters.Count > 0 || !batch.Effects.IsEmpty || owner._task.DeleteAfterSend) await cursor.AcknowledgeAsync(_isReplay ? 0 : position, letters, Effects(batch, messages, known, refused), stop).ConfigureAwait(false);

            EtlTelemetry.BatchSize.Record(messages.Count, owner._tag);
            if (Policy == ErrorPolicy.Stop && !_isReplay && position < batch.Position) throw StopBefore(known.Values.Concat(refused).MinBy(f => f.Message.Position)!, position);
            foreach (FailedMessage failure in known.Values.Concat(refused)) batch.Failures.Add(failure.Class);
            var without = new HashSet<OutgoingMessage>(refused.Select(f => f.Message), ReferenceEqualityComparer.Instance);
            Complete(batch, without.Count == 0 ? messages : messages.Where(m => !without.Contains(m)), Policy == ErrorPolicy.Skip ? 0 : count);
            return true;
        }

        /// <summary>Remembers what the live tail sends while a replay is under way, and takes older messages of the same keys out of the replay.</summary>
        private void FollowKeys(PreparedBatch batch)
        {
            long through = Volatile.Read(ref owner._replayThrough);
            if (through < 0) return;
            if (_isReplay)
            {
                if (_newer.Count > 0) batch.Messages.RemoveAll(m => _newer.Contains(HoldKey.Of(m)));
                if (!batch.EndsReplay) return;
                _newer.Clear();
                Volatile.Write(ref owner._replayThrough, -1);
                owner._logger.ReplayEnds(owner._task.Name);
            }
            else if (batch.Position > through)
            {
                foreach (OutgoingMessage message in batch.Messages.Where(m => m.Position > through && m.Key is not null)) _newer.Add(HoldKey.Of(message));
                if (_newer.Count > MaxNewerKeys) throw new InvalidOperationException($"While a replay of '{owner._task.Name}' was under way, more than {MaxNewerKeys} keys (MaxNewerKeys) have changed. Begin the replay again when fewer do.");
            }
        }

        /// <summary>What commits with the position: with <c>deleteAfterSend</c> the deletion of every document all of whose messages are confirmed.</summary>
        private FeedEffects Effects(PreparedBatch batch, List<OutgoingMessage> sent, Dictionary<OutgoingMessage, FailedMessage> known, List<FailedMessage> refused)
        {
            // Before the change that stops the task nothing of a dependent's is known to be sent.
            if (Policy == ErrorPolicy.Stop && !_isReplay && owner._dependencies is not null && known.Count + refused.Count > 0) return FeedEffects.None;
            if (!owner._task.DeleteAfterSend) return batch.Effects;
            HashSet<long> failed = [.. known.Keys.Select(m => m.Position), .. refused.Select(f => f.Message.Position)];
            return batch.Effects with
            {
                Deletes = [.. sent.Where(m => !m.IsDeletion && !failed.Contains(m.Position)).Select(m => new KeyValuePair<string, long>(m.Subject, m.Position)).Distinct()],
            };
        }

        /// <summary>What is known before anything is sent: faults of messages, and keys that are held.</summary>
        private void FindFaults(List<OutgoingMessage> messages, Dictionary<OutgoingMessage, FailedMessage> known)
        {
            HashSet<string>? held = null;
            foreach (OutgoingMessage message in messages)
            {
                string? key = owner._holds ? HoldKey.Of(message) : null;
                if (key is not null && (held?.Contains(key) == true || owner._letters.IsHeld(key)))
                {
                    known[message] = new FailedMessage(message, DeadLetterWriter.HeldReason(key), FailureClass.Held, 0);
                }
                else if (sink.FindFault(message) is { } reason)
                {
                    known[message] = new FailedMessage(message, reason, sink.IsOversize(message) ? FailureClass.Oversize : FailureClass.Permanent, 0);
                    if (key is not null) (held ??= new(StringComparer.Ordinal)).Add(key);
                }
            }
        }

        private FailedMessage Refused(MessageFailure failure) =>
            new(failure.Message, failure.Reason, failure.IsOversize ? FailureClass.Oversize : FailureClass.Permanent, Math.Max(_attempts, 1));

        private static List<FailedMessage> Spent(List<OutgoingMessage> messages, BudgetSpentException e) =>
            [.. messages.Select(m => new FailedMessage(m, e.Message, e.IsTransient ? FailureClass.Transient : FailureClass.Permanent, e.Attempts))];

        private TaskStoppedException StopBefore(FailedMessage failed, long position)
        {
            Volatile.Write(ref owner._stopBefore, failed.Message.Position);
            if (position > Position) Position = position;
            return new TaskStoppedException(failed.Message.Subject, failed.Reason, failed.Class);
        }

        private MessageBatch NewBatch(List<OutgoingMessage> messages, long position, PreparedBatch batch, Dictionary<OutgoingMessage, FailedMessage> known)
        {
            _stored.Clear();
            return new MessageBatch(messages, position)
            {
                IsBeside = _isReplay || batch.IsBeside,
                StoreRefused = async (failures, cancellationToken) =>
                {
                    List<FailedMessage> refused = [.. failures.Where(f => !_stored.Contains(f.Message)).Select(Refused)];
                    if (refused.Count == 0) return;
                    if (Policy == ErrorPolicy.Stop) throw StopBefore(refused.MinBy(f => f.Message.Position)!, Position);
                    if (owner._holds && FindHeld(messages, refused, known)) throw new ResendException();
                    var letters = new List<KeyValuePair<string, ReadOnlyMemory<byte>>>(refused.Count);
                    AddLetters(letters, refused, batch.Messages);
                    if (letters.Count > 0) await cursor.AcknowledgeAsync(0, letters, cancellationToken).ConfigureAwait(false);
                    foreach (FailedMessage failure in refused) _stored.Add(failure.Message);
                },
            };
        }

        /// <summary>Whether later messages of the refused ones' keys are in the same batch; then all of them are known from now on.</summary>
        private static bool FindHeld(List<OutgoingMessage> messages, List<FailedMessage> refused, Dictionary<OutgoingMessage, FailedMessage> known)
        {
            var those = new HashSet<OutgoingMessage>(refused.Select(f => f.Message), ReferenceEqualityComparer.Instance);
            var keys = new HashSet<string>(StringComparer.Ordinal);
            List<OutgoingMessage> held = [];
            foreach (OutgoingMessage message in messages)
            {
                string key = HoldKey.Of(message);
                if (those.Contains(message)) keys.Add(key);
                else if (keys.Contains(key)) held.Add(message);
            }

            if (held.Count == 0) return false;
            foreach (FailedMessage failure in refused) known[failure.Message] = failure;
            foreach (OutgoingMessage message in held) known[message] = new FailedMessage(message, DeadLetterWriter.HeldReason(HoldKey.Of(message)), FailureClass.Held, 0);
            return true;
        }

        private void AddLetters(List<KeyValuePair<string, ReadOnlyMemory<byte>>> letters, IEnumerable<FailedMessage> failures, List<OutgoingMessage> all)
        {
            IFeedSnapshot? snapshot = null;
            try
            {
                foreach (FailedMessage failure in failures)
                {
                    OutgoingMessage message = failure.Message;
                    if (Policy == ErrorPolicy.Skip)
                    {
                        owner._failures.Add(FailureOutcome.LeftOut, message.Subject, failure.Class, failure.Reason);
                        continue;
                    }

                    snapshot ??= owner._feed.OpenSnapshot();
                    int index = all.IndexOf(message), first = index;
                    while (first > 0 && all[first - 1].Position == message.Position && all[first - 1].DocumentPosition == message.DocumentPosition) first--;
                    string? holds = owner._holds ? HoldKey.Of(message) : null;
                    letters.Add(owner._senderDeadLetters.ForMessage(failure, index - first, holds, snapshot));
                    if (holds is not null) owner._letters.Hold(holds, letters[^1].Key, message.Subject, message.Position, failure.Class == FailureClass.Held);
                    owner._failures.Add(FailureOutcome.Parked, message.Subject, failure.Class, failure.Reason);
                }
            }
            finally
            {
                snapshot?.Dispose();
            }
        }

        private void Complete(PreparedBatch batch, IEnumerable<OutgoingMessage> sent, int letters)
        {
            long count = 0, bytes = 0;
            foreach (OutgoingMessage message in sent)
            {
                count++;
                bytes += message.Body.Length;
            }

            if (batch.Origin == BatchOrigin.Feed) Position = batch.Position;
            owner._progress.Complete(batch, count, bytes, letters, owner._task.OnError == ErrorPolicy.Skip ? batch.Failures.Count : 0);
            if (batch.Origin == BatchOrigin.Replay) owner._progress.SetReplay(batch.ReplayAt);
            EtlTelemetry.Documents.Add(batch.Documents, owner._tag);
            EtlTelemetry.Filtered.Add(batch.Filtered, owner._tag);
            EtlTelemetry.Messages.Add(count, owner._tag);
            EtlTelemetry.Bytes.Add(bytes, owner._tag);
            if (letters > 0) EtlTelemetry.DeadLetters.Add(letters, owner._tag);
            foreach (FailureClass failure in batch.Failures)
            {
                EtlTelemetry.Errors.Add(1, owner._tag, EtlTelemetry.Tag(failure));
            }
        }
    }
}
