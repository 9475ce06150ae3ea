using System.Globalization;
using System.Text;
using Microsoft.Extensions.Logging;
using Pipeline.Etl.Configuration;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Pipeline.Etl.Connectors.RabbitMq;

/// <summary>One task's messages to RabbitMQ: persistent, mandatory, confirmed.</summary>
/// <remarks>Attributes follow the CloudEvents AMQP binding's binary mode: headers <c>cloudEvents:id</c> and so on; the
/// id is the message id as well, so that consumers can drop repeats.</remarks>
internal sealed class RabbitMqSink : IMessageSink
{
    /// <summary>The maximum bytes of AMQP 0-9-1's short strings: names, routing keys, message ids.</summary>
    private const int MaxShortString = 255;

    /// <summary>
    /// The maximum bytes of attributes. A message's properties must fit one frame; brokers allow 128 KiB by default.
    /// </summary>
    private const int MaxHeaders = 100_000;

    private readonly RabbitMqConnector _connector;
    private readonly SinkContext _context;
    private readonly ILogger _logger;
    private readonly HashSet<string> _declared = new(StringComparer.Ordinal);
    private IChannel? _channel;
    private RabbitMqConfirms? _confirms;

    internal RabbitMqSink(RabbitMqConnector connector, SinkContext context)
    {
        _connector = connector;
        _context = context;
        _logger = context.Loggers.CreateLogger<RabbitMqSink>();
    }

    private RabbitMqOptions Options => _connector.Options;

    private RabbitMqFaults Faults => _connector.Faults;

    /// <inheritdoc/>
    public async ValueTask<long?> ConnectAsync(CancellationToken cancellationToken)
    {
        await DropAsync().ConfigureAwait(false);
        _declared.Clear();
        if (Options.Exchange.Length > 0)
            await DeclareAsync(Options.Exchange, cancellationToken).ConfigureAwait(false);
        var channel = await _connector.OpenChannelAsync(confirms: true, cancellationToken).ConfigureAwait(false);
        var confirms = new RabbitMqConfirms(Options.MaxUnconfirmed, Options.ConfirmTimeout, _context.Time);
        channel.BasicAcksAsync += (_, e) => Done(() => confirms.Confirm(e.DeliveryTag, e.Multiple, accepted: true));
        channel.BasicNacksAsync += (_, e) => Done(() => confirms.Confirm(e.DeliveryTag, e.Multiple, accepted: false));
        channel.BasicReturnAsync += (_, e) =>
            Done(() =>
                confirms.Return(e.BasicProperties.MessageId, $"no queue accepts it: {e.ReplyText} ({e.RoutingKey})")
            );
        channel.ChannelShutdownAsync += (_, e) => Done(() => confirms.Lose("the channel was closed", e));
        (_channel, _confirms) = (channel, confirms);
        return null;

        static Task Done(Action action)
        {
            action();
            return Task.CompletedTask;
        }
    }

    /// <inheritdoc/>
    public string? FindFault(OutgoingMessage message)
    {
        if (message.Body.Length > Options.MaxMessageBytes)
            return $"the body has {message.Body.Length} bytes, maxMessageBytes of connection '{_connector.Context.Connection}' is {Options.MaxMessageBytes}";
        if (FindNameFault(RoutingKey(message), Options) is { } fault)
            return fault;
        if (Length(message.Id) > MaxShortString)
            return $"the message's id has {Length(message.Id)} bytes, AMQP allows {MaxShortString}";
        if (Length(message.ContentType) > MaxShortString)
            return $"the content type has {Length(message.ContentType)} bytes, AMQP allows {MaxShortString}";
        var headers = Length(message.Source) + Length(message.Type) + Length(message.Subject);
        return headers > MaxHeaders
            ? $"the message's attributes have {headers} bytes, AMQP's headers hold about {MaxHeaders}"
            : null;
    }

    /// <summary>Why no broker accepts a queue's name, or a routing key if an exchange is configured.</summary>
    internal static string? FindNameFault(string name, RabbitMqOptions options)
    {
        var isKey = options.Exchange.Length > 0;
        if (Length(name) > MaxShortString)
            return $"the {(isKey ? "routing key" : "queue's name")} has {Length(name)} bytes, AMQP allows {MaxShortString}";
        if (isKey)
            return null;
        if (name.Length == 0)
            return "the queue's name is empty";
        return name.StartsWith("amq.", StringComparison.Ordinal)
            ? $"queue '{name}': names that begin with amq. are the broker's own"
            : null;
    }

    /// <inheritdoc/>
    public bool IsOversize(OutgoingMessage message) => message.Body.Length > Options.MaxMessageBytes;

    /// <inheritdoc/>
    public async ValueTask<IReadOnlyList<MessageFailure>> SendAsync(
        MessageBatch batch,
        CancellationToken cancellationToken
    )
    {
        var messages = batch.Messages;
        if (messages.Count == 0)
            return [];
        try
        {
            await DeclareQueuesAsync(messages, cancellationToken).ConfigureAwait(false);
            var returned = await PublishAsync(messages, Enumerable.Range(0, messages.Count), cancellationToken)
                .ConfigureAwait(false);
            if (returned.Count > 0 && Options is { Create: true, Exchange.Length: 0 })
            {
                // A queue may have been deleted since it was declared.
                foreach (var (index, _) in returned)
                    _declared.Remove(messages[index].Destination);
                await DeclareQueuesAsync(messages, cancellationToken).ConfigureAwait(false);
                returned = await PublishAsync(messages, returned.ConvertAll(r => r.Index), cancellationToken)
                    .ConfigureAwait(false);
            }

            return returned.ConvertAll(r => new MessageFailure(messages[r.Index], r.Reason));
        }
        catch (Exception e)
        {
            await DropAsync().ConfigureAwait(false);
            if (RabbitMqFaults.IsOfTheBroker(e, cancellationToken))
                throw Faults.From($"the batch of task '{_context.Task}' was not confirmed", e);
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync() => await DropAsync().ConfigureAwait(false);

    private static int Length(string text) => Encoding.UTF8.GetByteCount(text);

    private string RoutingKey(OutgoingMessage message) =>
        Options.Exchange.Length > 0 ? message.Key ?? message.Destination : message.Destination;

    private async Task<List<(int Index, string Reason)>> PublishAsync(
        IReadOnlyList<OutgoingMessage> messages,
        IEnumerable<int> which,
        CancellationToken cancellationToken
    )
    {
        if (_channel is not { } channel || _confirms is not { } confirms)
            throw Faults.Transient($"task '{_context.Task}' is not connected");
        using (var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, confirms.Ended))
        {
            try
            {
                foreach (var index in which)
                {
                    var message = messages[index];
                    if (!await confirms.EnterAsync(message.Id, index, cancellationToken).ConfigureAwait(false))
                        break;
                    await channel
                        .BasicPublishAsync(
                            Options.Exchange,
                            RoutingKey(message),
                            mandatory: true,
                            Properties(message),
                            message.Body,
                            either.Token
                        )
                        .ConfigureAwait(false);
                }
            }
            catch (OperationCanceledException)
                when (confirms.Lost.Text is not null && !cancellationToken.IsCancellationRequested)
            {
                // The reason is reported below.
            }
        }

        var (returned, nacked) = await confirms.DrainAsync(cancellationToken).ConfigureAwait(false);
        if (confirms.Lost is { Text: { } text } lost)
        {
            if (_connector.Blocked is { } reason)
                text = RabbitMqFaults.TakesNone(reason);
            throw lost.Shutdown is { } shutdown
                ? Faults.From($"the batch of task '{_context.Task}' was not confirmed", shutdown)
                : Faults.Transient($"the batch of task '{_context.Task}' was not confirmed: {text}");
        }

        return nacked > 0
            ? throw Faults.Transient(
                $"the broker did not accept {nacked} messages of task '{_context.Task}' (basic.nack)"
            )
            : returned;
    }

    private BasicProperties Properties(OutgoingMessage message)
    {
        var properties = new BasicProperties
        {
            Persistent = true,
            MessageId = message.Id,
            ContentType = message.ContentType,
        };
        var headers = Attributes(message);
        if (message.TraceParent is { } trace)
            (headers ??= [])["traceparent"] = trace;
        if (message.Options is { } options)
        {
            foreach (var (name, value) in options.Headers)
                (headers ??= [])[name] = value;
            if (options.Ttl is { } ttl)
                properties.Expiration = ((long)ttl.TotalMilliseconds).ToString(CultureInfo.InvariantCulture);
            if (options.Delay is { } delay)
                (headers ??= [])["x-delay"] = (long)delay.TotalMilliseconds;
            if (options.Dedup != DedupKey.None)
            {
                (headers ??= [])["x-deduplication-header"] =
                    options.Dedup == DedupKey.Key ? message.Key ?? message.Subject : message.Id;
            }
        }

        properties.Headers = headers;
        return properties;
    }

    private Dictionary<string, object?>? Attributes(OutgoingMessage message)
    {
        if (Options.CloudEvents == CloudEventAttributes.None)
            return null;
        var attributes = new Dictionary<string, object?>(6)
        {
            ["cloudEvents:specversion"] = "1.0",
            ["cloudEvents:id"] = message.Id,
            ["cloudEvents:source"] = message.Source,
            ["cloudEvents:type"] = message.Type,
        };
        if (Options.CloudEvents == CloudEventAttributes.Required)
            return attributes;
        attributes["cloudEvents:subject"] = message.Subject;
        attributes["cloudEvents:time"] = CloudEventJson.FormatTime(message.Time);
        return attributes;
    }

    /// <summary>
    /// Ensures that the queues of the messages exist. Without <c>create</c>, and at an exchange, the broker returns a
    /// message that no queue accepts.
    /// </summary>
    private async Task DeclareQueuesAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken)
    {
        if (Options.Exchange.Length > 0 || !Options.Create)
            return;
        string? last = null;
        foreach (var message in messages)
        {
            if (ReferenceEquals(message.Destination, last))
                continue;
            last = message.Destination;
            if (_declared.Contains(last))
                continue;
            await DeclareAsync(last, cancellationToken).ConfigureAwait(false);
            _declared.Add(last);
        }
    }

    /// <summary>Finds the queue (or the exchange, if one is configured) or declares it.</summary>
    /// <remarks>An existing one keeps the settings that its owner declared. Uses a separate channel, since a passive
    /// declare of a missing queue closes its channel.</remarks>
    private async Task DeclareAsync(string name, CancellationToken cancellationToken)
    {
        var exchange = Options.Exchange.Length > 0;
        for (var passive = true; ; passive = false)
        {
            var channel = await _connector.OpenChannelAsync(confirms: false, cancellationToken).ConfigureAwait(false);
            try
            {
                if (exchange && passive)
                {
                    await channel.ExchangeDeclarePassiveAsync(name, cancellationToken).ConfigureAwait(false);
                }
                else if (exchange)
                {
                    await channel
                        .ExchangeDeclareAsync(
                            name,
                            Lower(Options.ExchangeType),
                            durable: true,
                            autoDelete: false,
                            cancellationToken: cancellationToken
                        )
                        .ConfigureAwait(false);
                }
                else if (passive)
                {
                    await channel.QueueDeclarePassiveAsync(name, cancellationToken).ConfigureAwait(false);
                }
                else
                {
                    await channel
                        .QueueDeclareAsync(
                            name,
                            durable: true,
                            exclusive: false,
                            autoDelete: false,
                            QueueArguments(),
                            cancellationToken: cancellationToken
                        )
                        .ConfigureAwait(false);
                }

                if (!passive && exchange)
                    ConnectorLog.ExchangeDeclared(_logger, _connector.Context.Connection, name);
                else if (!passive)
                    ConnectorLog.QueueDeclared(_logger, _connector.Context.Connection, name);
                return;
            }
            catch (OperationInterruptedException e)
                when (passive && Options.Create && e.ShutdownReason?.ReplyCode == Constants.NotFound)
            {
                continue;
            }
            catch (Exception e) when (RabbitMqFaults.IsOfTheBroker(e, cancellationToken))
            {
                throw Faults.From($"{(exchange ? "exchange" : "queue")} '{name}' was not declared", e);
            }
            finally
            {
                await _connector.CloseAsync(channel).ConfigureAwait(false);
            }
        }
    }

    private Dictionary<string, object?> QueueArguments() => new() { ["x-queue-type"] = Lower(Options.QueueType) };

    private static string Lower<T>(T value)
        where T : struct, Enum => value.ToString().ToLowerInvariant();

    private async ValueTask DropAsync()
    {
        var (channel, confirms) = (_channel, _confirms);
        (_channel, _confirms) = (null, null);
        if (channel is not null)
            await _connector.CloseAsync(channel).ConfigureAwait(false);
        confirms?.Dispose();
    }
}
