using System.Diagnostics;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;

namespace Pipeline.Benchmarks.Etl;

/// <summary>
/// A kind of connector whose sinks note the moment at which the target has confirmed each change's messages.
/// </summary>
/// <param name="inner">The kind.</param>
/// <param name="confirmed">The moments, by position: ticks of the stopwatch.</param>
internal sealed class TimedDefinition(ConnectorDefinition inner, long[] confirmed) : ConnectorDefinition
{
    public override string Kind => inner.Kind;

    public override string Summary => inner.Summary;

    public override Type OptionsType => inner.OptionsType;

    /// <summary>The built-in kinds, with the moments noted.</summary>
    public static ConnectorCatalog Catalog(long[] confirmed) =>
        new(ConnectorCatalog.BuiltIn.Definitions.Select(d => new TimedDefinition(d, confirmed)));

    public override IEnumerable<(string Key, string Message)> Validate(object options) => inner.Validate(options);

    public override IReadOnlyCollection<string> DestinationOptions(object options) => inner.DestinationOptions(options);

    public override IEnumerable<(string Key, string Message)> ValidateDestination(
        DestinationConfiguration destination
    ) => inner.ValidateDestination(destination);

    public override IConnector Create(object options, ConnectorContext context) =>
        new Connector(inner.Create(options, context), confirmed);

    private sealed class Connector(IConnector inner, long[] confirmed) : IConnector
    {
        public IMessageSink CreateSink(SinkContext context) => new Sink(inner.CreateSink(context), confirmed);

        public ValueTask CheckHealthAsync(CancellationToken cancellationToken) =>
            inner.CheckHealthAsync(cancellationToken);

        public ValueTask DisposeAsync() => inner.DisposeAsync();
    }

    private sealed class Sink(IMessageSink inner, long[] confirmed) : IMessageSink
    {
        public ValueTask<long?> ConnectAsync(CancellationToken cancellationToken) =>
            inner.ConnectAsync(cancellationToken);

        public string? FindFault(OutgoingMessage message) => inner.FindFault(message);

        public bool IsOversize(OutgoingMessage message) => inner.IsOversize(message);

        public bool FailsAtOversize => inner.FailsAtOversize;

        public async ValueTask<IReadOnlyList<MessageFailure>> SendAsync(
            MessageBatch batch,
            CancellationToken cancellationToken
        )
        {
            var failures = await inner.SendAsync(batch, cancellationToken);
            var now = Stopwatch.GetTimestamp();
            foreach (var message in batch.Messages)
                confirmed[message.Position] = now;
            return failures;
        }

        public ValueTask DisposeAsync() => inner.DisposeAsync();
    }
}
