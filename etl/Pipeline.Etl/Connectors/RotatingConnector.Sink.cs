namespace Pipeline.Etl.Connectors;

internal sealed partial class RotatingConnector
{
    private sealed class Sink : IMessageSink
    {
        private readonly RotatingConnector _owner;
        private readonly SinkContext _context;
        private Lease _lease;
        private IMessageSink _inner;

        public Sink(RotatingConnector owner, SinkContext context)
        {
            _owner = owner;
            _context = context;
            _lease = owner.Enter();
            _inner = _lease.Connector.CreateSink(context);
        }

        public ValueTask<long?> ConnectAsync(CancellationToken cancellationToken) =>
            ConnectAsync(isChanged: false, cancellationToken);

        private async ValueTask<long?> ConnectAsync(bool isChanged, CancellationToken cancellationToken)
        {
            await _owner.RenewAsync(isChanged, cancellationToken).ConfigureAwait(false);
            await MoveAsync().ConfigureAwait(false);
            try
            {
                return await _inner.ConnectAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (ConnectorException e) when (_owner.Safe(e) is { } safe)
            {
                throw safe;
            }
        }

        public string? FindFault(OutgoingMessage message) =>
            _inner.FindFault(message) is { } fault ? _owner._connection.Secrets.Redact(fault) : null;

        public bool IsOversize(OutgoingMessage message) => _inner.IsOversize(message);

        public bool FailsAtOversize => _inner.FailsAtOversize;

        public async ValueTask<IReadOnlyList<MessageFailure>> SendAsync(
            MessageBatch batch,
            CancellationToken cancellationToken
        )
        {
            // Between two batches, no batch is partly sent. A target that keeps the position may already have this
            // batch, if only its answer was lost.
            var moves = _owner.HasFileChanged() || !ReferenceEquals(_lease, _owner._current);
            if (
                moves
                && TargetPosition
                    .Of(await ConnectAsync(isChanged: true, cancellationToken).ConfigureAwait(false))
                    .HasAll(batch)
            )
            {
                return [];
            }

            try
            {
                var refused = await _inner.SendAsync(batch, cancellationToken).ConfigureAwait(false);
                return refused.Count == 0
                    ? refused
                    : [.. refused.Select(f => f with { Reason = _owner._connection.Secrets.Redact(f.Reason) })];
            }
            catch (ConnectorException e) when (_owner.Safe(e) is { } safe)
            {
                throw safe;
            }
        }

        public async ValueTask DisposeAsync()
        {
            await _inner.DisposeAsync().ConfigureAwait(false);
            await _owner.LeaveAsync(_lease).ConfigureAwait(false);
        }

        /// <summary>
        /// Moves to the newest connector. Closes the old sink first, since a target may allow only one at a time.
        /// </summary>
        private async ValueTask MoveAsync()
        {
            var next = _owner.Enter();
            if (ReferenceEquals(next, _lease))
            {
                await _owner.LeaveAsync(next).ConfigureAwait(false);
                return;
            }

            var old = _lease;
            await _inner.DisposeAsync().ConfigureAwait(false);
            _lease = next;
            _inner = next.Connector.CreateSink(_context);
            await _owner.LeaveAsync(old).ConfigureAwait(false);
        }
    }
}
