using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.Logging;

namespace Pipeline.Etl.Connectors.AzureQueues;

/// <summary>
/// Sends one task's messages to Azure queues, with several requests at a time. Messages of one key are sent one after
/// another.
/// </summary>
/// <remarks>A queue guarantees no order. The sink sends a message only after the queue has accepted the one before it
/// of the same key, or of the same document if it has no key.</remarks>
internal sealed class AzureQueuesSink : IMessageSink
{
    private readonly AzureQueuesConnector _connector;
    private readonly ILogger _logger;
    private readonly AzureQueueMessage _checker;
    private readonly AzureQueueMessage[] _writers;
    private readonly HashSet<string> _known = new(StringComparer.Ordinal);

    // After an error in the middle of a batch, this shows which of its messages the service has acknowledged. A retry
    // of the same batch sends only the others.
    private MessageBatch? _unfinished;
    private bool[] _taken = [];

    internal AzureQueuesSink(AzureQueuesConnector connector, SinkContext context)
    {
        _connector = connector;
        _logger = context.Loggers.CreateLogger<AzureQueuesSink>();
        _checker = new AzureQueueMessage(Options.Encoding);
        _writers = new AzureQueueMessage[Options.MaxParallel];
        for (var i = 0; i < _writers.Length; i++)
            _writers[i] = new AzureQueueMessage(Options.Encoding);
    }

    private AzureQueuesOptions Options => _connector.Options;

    private AzureQueueClient Client => _connector.Client;

    /// <inheritdoc/>
    public async ValueTask<long?> ConnectAsync(CancellationToken cancellationToken)
    {
        _known.Clear();
        await Client.CheckAsync(cancellationToken).ConfigureAwait(false);
        return null;
    }

    /// <inheritdoc/>
    public string? FindFault(OutgoingMessage message) =>
        (_known.Contains(message.Destination) ? null : FindNameFault(message.Destination)) ?? FindBodyFault(message);

    /// <inheritdoc/>
    public bool IsOversize(OutgoingMessage message) => _checker.IsOversize(message);

    /// <inheritdoc/>
    public bool FailsAtOversize => Options.Oversize == AzureQueueOversize.Fail;

    /// <inheritdoc/>
    public async ValueTask<IReadOnlyList<MessageFailure>> SendAsync(
        MessageBatch batch,
        CancellationToken cancellationToken
    )
    {
        if (batch.Messages.Count == 0)
            return [];
        if (!ReferenceEquals(batch, _unfinished))
            Begin(batch);
        var failures = new ConcurrentDictionary<int, MessageFailure>();
        FindFaults(batch.Messages, failures);
        await EnsureAsync(batch.Messages, failures, cancellationToken).ConfigureAwait(false);
        var lanes = Deal(batch.Messages, failures);
        ConnectorException? fault = null;
        await Task.WhenAll(lanes.Select((lane, i) => lane.Count == 0 ? Task.CompletedTask : RunAsync(i, lane)))
            .ConfigureAwait(false);
        if (fault is not null)
            throw fault;
        _unfinished = null;
        return [.. failures.OrderBy(f => f.Key).Select(f => f.Value)];

        async Task RunAsync(int writer, List<int> lane)
        {
            try
            {
                foreach (var index in lane)
                {
                    // A request in flight when another lane fails is not cancelled: the service might accept it anyway.
                    if (Volatile.Read(ref fault) is not null)
                        return;
                    if (
                        await SendOneAsync(_writers[writer], batch.Messages[index], cancellationToken)
                            .ConfigureAwait(false) is
                        { } reason
                    )
                    {
                        failures[index] = new MessageFailure(batch.Messages[index], reason);
                    }
                    else
                    {
                        _taken[index] = true;
                    }
                }
            }
            catch (ConnectorException e)
            {
                Interlocked.CompareExchange(ref fault, e, null);
            }
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _checker.Dispose();
        foreach (var writer in _writers)
            writer.Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>Azure's rules for queue names.</summary>
    internal static string? FindNameFault(string name)
    {
        var good =
            name.Length is >= 3 and <= 63
            && name[0] != '-'
            && name[^1] != '-'
            && !name.Contains("--", StringComparison.Ordinal)
            && name.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '-');
        return good
            ? null
            : $"'{name}' is not a queue's name: 3 to 63 lower-case letters, digits and single hyphens, beginning and ending with a letter or digit";
    }

    private void Begin(MessageBatch batch)
    {
        if (_taken.Length < batch.Messages.Count)
            _taken = new bool[batch.Messages.Count];
        else
            Array.Clear(_taken);
        _unfinished = batch;
    }

    /// <summary>A message that would be refused is not sent, and no part of it is stored.</summary>
    private void FindFaults(IReadOnlyList<OutgoingMessage> messages, ConcurrentDictionary<int, MessageFailure> failures)
    {
        for (var i = 0; i < messages.Count; i++)
        {
            if (FindBodyFault(messages[i]) is { } reason)
                failures[i] = new MessageFailure(messages[i], reason) { IsOversize = _checker.IsOversize(messages[i]) };
        }
    }

    private string? FindBodyFault(OutgoingMessage message)
    {
        var claim =
            Options.Oversize == AzureQueueOversize.ClaimCheck && _checker.IsOversize(message)
                ? Client.AddressOfClaim(ClaimName(message))
                : null;
        var fault = _checker.FindFault(message, claim);
        return fault is not null && FailsAtOversize && _checker.IsOversize(message)
            ? $"{fault}, and connection '{_connector.Context.Connection}' says oversize: fail"
            : fault;
    }

    /// <returns>Why the service refuses the message, or <see langword="null"/> if it has accepted it.</returns>
    private async ValueTask<string?> SendOneAsync(
        AzureQueueMessage writer,
        OutgoingMessage message,
        CancellationToken cancellationToken
    )
    {
        string? claim = null;
        if (Options.Oversize == AzureQueueOversize.ClaimCheck && writer.IsOversize(message))
        {
            claim = await Client
                .PutClaimAsync(ClaimName(message), message.Body, message.ContentType, cancellationToken)
                .ConfigureAwait(false);
        }

        var text = writer.Text(message, claim);
        for (var first = true; ; first = false)
        {
            var (outcome, reason) = await Client
                .PutAsync(
                    message.Destination,
                    text,
                    message.Options?.Ttl ?? Options.TimeToLive,
                    message.Options?.Delay ?? Options.VisibilityDelay,
                    cancellationToken
                )
                .ConfigureAwait(false);
            if (outcome == AzureQueueOutcome.Done)
                return null;
            if (outcome == AzureQueueOutcome.NoQueue && Options.Create && first)
            {
                // The queue was deleted since.
                await Client.CreateAsync(message.Destination, cancellationToken).ConfigureAwait(false);
                continue;
            }

            return outcome == AzureQueueOutcome.NoQueue && !Options.Create
                ? $"{reason}, and connection '{_connector.Context.Connection}' says create: false"
                : reason;
        }
    }

    /// <summary>
    /// The name of a message's blob. It never changes, so that a message that is resent leaves no second blob.
    /// </summary>
    private static string ClaimName(OutgoingMessage message) =>
        Convert.ToHexStringLower(
            SHA256.HashData(Encoding.UTF8.GetBytes(message.Source + "\n" + message.Id)).AsSpan(0, 20)
        ) + ".json";

    private async Task EnsureAsync(
        IReadOnlyList<OutgoingMessage> messages,
        ConcurrentDictionary<int, MessageFailure> failures,
        CancellationToken cancellationToken
    )
    {
        Dictionary<string, string>? missing = null;
        for (var i = 0; i < messages.Count; i++)
        {
            var queue = messages[i].Destination;
            if (_taken[i] || failures.ContainsKey(i) || _known.Contains(queue))
                continue;
            var reason = missing?.GetValueOrDefault(queue) ?? FindNameFault(queue);
            if (reason is null)
            {
                if (Options.Create)
                {
                    if (await Client.CreateAsync(queue, cancellationToken).ConfigureAwait(false))
                        ConnectorLog.AzureQueueCreated(_logger, _connector.Context.Connection, queue);
                }
                else if (!await Client.ExistsAsync(queue, cancellationToken).ConfigureAwait(false))
                {
                    reason =
                        $"queue '{queue}' does not exist, and connection '{_connector.Context.Connection}' says create: false";
                    (missing ??= new(StringComparer.Ordinal))[queue] = reason;
                }
            }

            if (reason is null)
                _known.Add(queue);
            else
                failures[i] = new MessageFailure(messages[i], reason);
        }
    }

    /// <summary>
    /// Distributes the messages over as many lanes as may run at the same time. All messages of one key go to one lane,
    /// in order.
    /// </summary>
    private List<int>[] Deal(
        IReadOnlyList<OutgoingMessage> messages,
        ConcurrentDictionary<int, MessageFailure> failures
    )
    {
        var lanes = new List<int>[_writers.Length];
        for (var i = 0; i < lanes.Length; i++)
            lanes[i] = [];
        for (var i = 0; i < messages.Count; i++)
        {
            if (_taken[i] || failures.ContainsKey(i))
                continue;
            var hash = HashCode.Combine(messages[i].Destination, messages[i].Key ?? messages[i].Subject);
            lanes[(uint)hash % (uint)lanes.Length].Add(i);
        }

        return lanes;
    }
}
