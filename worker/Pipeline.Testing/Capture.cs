using System.Collections.Concurrent;
using Pipeline.Etl.Connectors;

namespace Pipeline.Testing;

/// <summary>
/// Replaces every kind of connector: options are read and checked as usual, but messages are stored instead of sent.
/// </summary>
internal sealed class Capture
{
    private readonly ConcurrentDictionary<string, List<OutgoingMessage>> _messages = new(StringComparer.Ordinal);

    /// <summary>The kinds that a configuration can name.</summary>
    public ConnectorCatalog Catalog =>
        new(ConnectorCatalog.BuiltIn.Definitions.Select(d => new CapturingDefinition(d, this)));

    /// <summary>A task's messages so far.</summary>
    public IReadOnlyList<OutgoingMessage> MessagesOf(string task)
    {
        if (!_messages.TryGetValue(task, out var messages))
            return [];
        lock (messages)
            return [.. messages];
    }

    private void Keep(string task, IReadOnlyList<OutgoingMessage> batch)
    {
        var messages = _messages.GetOrAdd(task, _ => []);
        lock (messages)
            messages.AddRange(batch.Select(m => m.Detach()));
    }

    private sealed class CapturingDefinition(ConnectorDefinition kind, Capture capture) : ConnectorDefinition
    {
        public override string Kind => kind.Kind;

        public override string Summary => kind.Summary;

        public override Type OptionsType => kind.OptionsType;

        public override IEnumerable<(string Key, string Message)> Validate(object options) => kind.Validate(options);

        public override IConnector Create(object options, ConnectorContext context) => new CapturingConnector(capture);
    }

    private sealed class CapturingConnector(Capture capture) : IConnector
    {
        public IMessageSink CreateSink(SinkContext context) => new CapturingSink(capture, context.Task);

        public ValueTask CheckHealthAsync(CancellationToken cancellationToken) => ValueTask.CompletedTask;

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }

    private sealed class CapturingSink(Capture capture, string task) : IMessageSink
    {
        public ValueTask<long?> ConnectAsync(CancellationToken cancellationToken) => ValueTask.FromResult<long?>(null);

        public string? FindFault(OutgoingMessage message) => null;

        public ValueTask<IReadOnlyList<MessageFailure>> SendAsync(
            MessageBatch batch,
            CancellationToken cancellationToken
        )
        {
            capture.Keep(task, batch.Messages);
            return ValueTask.FromResult<IReadOnlyList<MessageFailure>>([]);
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
