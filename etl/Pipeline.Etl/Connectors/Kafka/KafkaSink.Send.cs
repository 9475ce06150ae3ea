using Confluent.Kafka;

namespace Pipeline.Etl.Connectors.Kafka;

internal sealed partial class KafkaSink
{
    /// <summary>
    /// The maximum number of passes of <see cref="SendInspected"/>. Each pass finds at least one refused message; a
    /// batch with more of them fails.
    /// </summary>
    private const int MaxInspections = 50;

    private readonly Message<byte[], byte[]> _record = new();
    private readonly ExactBytes _bodies = new();
    private TopicPartition? _target;

    /// <inheritdoc/>
    public async ValueTask<IReadOnlyList<MessageFailure>> SendAsync(
        MessageBatch batch,
        CancellationToken cancellationToken
    )
    {
        batch = _committed.TakeOut(batch);
        if (batch.Messages.Count == 0)
            return [];
        if (_producer is null)
            throw Faults.Transient($"task '{_context.Task}' is not connected");
        var failures = new Failures(batch.Messages.Count);
        try
        {
            if (FindUnknown(batch.Messages) is { } unknown)
            {
                var refused = await _connector.Topics.EnsureAsync(unknown, cancellationToken).ConfigureAwait(false);
                await Task.Run(() => FitBatches(unknown, cancellationToken), cancellationToken).ConfigureAwait(false);
                CheckAgain(batch.Messages, unknown, refused, failures);
            }

            // Every call of the client blocks, so it must not run on the caller's thread.
            await Task.Run(() => Send(batch, failures, cancellationToken), cancellationToken).ConfigureAwait(false);
            return failures.List(batch.Messages);
        }
        catch
        {
            // A partly sent batch is never committed: the next connection with this transactional id aborts it.
            await DropProducerAsync().ConfigureAwait(false);
            throw;
        }
    }

    private HashSet<string>? FindUnknown(IReadOnlyList<OutgoingMessage> messages)
    {
        HashSet<string>? unknown = null;
        string? last = null;
        foreach (var message in messages)
        {
            if (ReferenceEquals(message.Destination, last))
                continue;
            last = message.Destination;
            if (_connector.Topics.Find(last) is null)
                (unknown ??= new(StringComparer.Ordinal)).Add(last);
        }

        return unknown;
    }

    /// <summary>
    /// A broker refuses whole requests that are larger than the topic's limit, so the client must not make them.
    /// </summary>
    private void FitBatches(HashSet<string> topics, CancellationToken cancellationToken)
    {
        var smallest = topics.Select(t => _connector.Topics.Find(t)?.MaxMessageBytes ?? int.MaxValue).Min();
        if (smallest >= _batchBytes)
            return;
        _batchBytes = smallest;
        Drop();
        OpenProducer(inspect: false, cancellationToken);
    }

    private void CheckAgain(
        IReadOnlyList<OutgoingMessage> messages,
        HashSet<string> topics,
        IReadOnlyDictionary<string, string> refused,
        Failures failures
    )
    {
        for (var i = 0; i < messages.Count; i++)
        {
            var message = messages[i];
            if (!topics.Contains(message.Destination))
                continue;
            var reason =
                refused.GetValueOrDefault(message.Destination)
                ?? FindPartitionFault(message, _connector.Topics.Find(message.Destination))
                ?? FindSizeFault(message, _connector.Topics.Find(message.Destination));
            if (reason is not null)
                failures.Add(i, reason);
        }
    }

    private void Send(MessageBatch batch, Failures failures, CancellationToken cancellationToken)
    {
        var started = _context.Time.GetTimestamp();
        try
        {
            if (!TryTransact(batch, failures, cancellationToken))
                SendInspected(batch, failures, cancellationToken);
        }
        catch (KafkaTxnRequiresAbortException e) when (!KafkaFaults.IsFenced(e.Error.Code))
        {
            Abort(cancellationToken);
            throw Faults.From($"the batch of task '{_context.Task}' was not committed", e);
        }
        catch (KafkaException e) when (KafkaFaults.IsFenced(e.Error.Code))
        {
            // The broker also fences a producer whose transaction was open for too long. In all other cases another
            // instance has started.
            throw _context.Time.GetElapsedTime(started) >= Options.TransactionTimeout
                ? Faults.Transient(
                    $"a transaction of task '{_context.Task}' was open for longer than transactionTimeout",
                    e
                )
                : Faults.Permanent(
                    $"task '{_context.Task}' of this database also runs elsewhere, and that instance has taken over",
                    e
                );
        }
        catch (KafkaException e)
        {
            throw Faults.From($"the batch of task '{_context.Task}' was not committed", e);
        }
    }

    /// <returns>False if the broker seems to have refused a message because of the message itself.</returns>
    private bool TryTransact(MessageBatch batch, Failures failures, CancellationToken cancellationToken)
    {
        try
        {
            Transact(batch, failures, null, cancellationToken);
            return true;
        }
        catch (KafkaTxnRequiresAbortException e)
            when (KafkaFaults.IsOfTheMessage(e.Error.Code) || KafkaFaults.IsOfTheSequence(e.Error.Code))
        {
            ConnectorLog.MessageRefused(_logger, _connector.Context.Connection, _context.Task, e.Error.Reason);
            return false;
        }
    }

    /// <summary>Sends with a report for each message, until a pass finds no refused message.</summary>
    private void SendInspected(MessageBatch batch, Failures failures, CancellationToken cancellationToken)
    {
        for (var pass = 0; pass < MaxInspections; pass++)
        {
            // Use a new producer each time: the refused record left a gap in the sequence numbers of the old one.
            Drop();
            OpenProducer(inspect: true, cancellationToken);
            var found = new Failures(batch.Messages.Count);
            try
            {
                Transact(batch, failures, found, cancellationToken);
                Drop();
                OpenProducer(inspect: false, cancellationToken);
                return;
            }
            catch (KafkaTxnRequiresAbortException e) when (!KafkaFaults.IsFenced(e.Error.Code))
            {
                // It returns once the reports of all messages have arrived.
                Abort(cancellationToken);
                if (found.Count == 0)
                    throw Faults.From($"the batch of task '{_context.Task}' was not committed", e);
                failures.Take(found);
            }
        }

        throw Faults.Transient(
            $"more than {MaxInspections} messages of one batch of task '{_context.Task}' were refused one after another"
        );
    }

    private void Transact(MessageBatch batch, Failures failures, Failures? found, CancellationToken cancellationToken)
    {
        var producer = _producer!;
        producer.BeginTransaction();
        var alive = true;
        var messages = batch.Messages;
        for (var i = 0; i < messages.Count && alive; i++)
        {
            if (failures.Contains(i))
                continue;
            var message = messages[i];
            _headers.Set(message);
            _record.Key = _keys.Encode(message.Key)!;
            _record.Value = message.Body.IsEmpty ? null! : _bodies.Copy(message.Body.Span);
            _record.Headers = _headers.List;
            alive = Produce(
                producer,
                message.Options?.Partition is { } partition
                    ? new TopicPartition(message.Destination, partition)
                    : Target(message.Destination),
                _record,
                found is null ? null : Report(found, i),
                i,
                failures,
                cancellationToken
            );
        }

        if (alive && !batch.LeavesPosition)
        {
            Produce(
                producer,
                _positionPartition!,
                _positions.Record(batch.Position, messages[^1]),
                null,
                -1,
                failures,
                cancellationToken
            );
        }

        // The position is about to pass the refused messages. This thread may block, since it is not the caller's.
        if (failures.Count > 0)
            batch.StoreRefused?.Invoke(failures.List(messages), cancellationToken).GetAwaiter().GetResult();

        // If the transaction is already lost, this throws the reason.
        Repeat(t => producer.CommitTransaction(t), Options.TransactionTimeout + InitTimeout, cancellationToken);
    }

    /// <returns>Whether the transaction accepts more messages.</returns>
    private static bool Produce(
        IProducer<byte[], byte[]> producer,
        TopicPartition target,
        Message<byte[], byte[]> record,
        Action<DeliveryReport<byte[], byte[]>>? report,
        int index,
        Failures failures,
        CancellationToken cancellationToken
    )
    {
        while (true)
        {
            try
            {
                producer.Produce(target, record, report);
                return true;
            }
            catch (ProduceException<byte[], byte[]> e) when (e.Error.Code == ErrorCode.Local_QueueFull)
            {
                cancellationToken.ThrowIfCancellationRequested();
                producer.Flush(Slice);
            }
            catch (ProduceException<byte[], byte[]> e) when (index >= 0 && KafkaFaults.IsOfTheMessage(e.Error.Code))
            {
                failures.Add(index, e.Error.Reason);
                return true;
            }
            catch (ProduceException<byte[], byte[]> e)
                when (e.Error.Code is ErrorCode.Local_State or ErrorCode.Local_Fatal)
            {
                return false;
            }
        }
    }

    private static Action<DeliveryReport<byte[], byte[]>> Report(Failures found, int index) =>
        report => found.Note(index, report.Error);

    private TopicPartition Target(string topic)
    {
        if (!ReferenceEquals(_target?.Topic, topic))
            _target = new TopicPartition(topic, Partition.Any);
        return _target!;
    }

    private void Abort(CancellationToken cancellationToken)
    {
        try
        {
            Repeat(t => _producer!.AbortTransaction(t), TimeSpan.FromSeconds(5), cancellationToken);
        }
        catch (KafkaException e)
        {
            ConnectorLog.NotAborted(_logger, _connector.Context.Connection, _context.Task, e.Error.Reason);
        }
    }

    /// <summary>
    /// The messages of one batch that the broker refuses for good. Thread-safe, since reports arrive on the client's
    /// thread.
    /// </summary>
    private sealed class Failures(int capacity)
    {
        private readonly Lock _lock = new();
        private string?[]? _reasons;

        internal int Count { get; private set; }

        internal bool Contains(int index) => _reasons is { } reasons && reasons[index] is not null;

        internal void Add(int index, string reason)
        {
            lock (_lock)
            {
                _reasons ??= new string?[capacity];
                if (_reasons[index] is null)
                    Count++;
                _reasons[index] ??= reason;
            }
        }

        internal void Note(int index, Error error)
        {
            if (KafkaFaults.IsOfTheMessage(error.Code))
                Add(index, error.Reason);
        }

        internal void Take(Failures other)
        {
            for (var i = 0; i < capacity; i++)
            {
                if (other.Contains(i))
                    Add(i, other._reasons![i]!);
            }
        }

        internal List<MessageFailure> List(IReadOnlyList<OutgoingMessage> messages)
        {
            if (_reasons is null)
                return [];
            var list = new List<MessageFailure>(Count);
            for (var i = 0; i < messages.Count; i++)
            {
                if (_reasons[i] is { } reason)
                    list.Add(new MessageFailure(messages[i], reason));
            }

            return list;
        }
    }
}
