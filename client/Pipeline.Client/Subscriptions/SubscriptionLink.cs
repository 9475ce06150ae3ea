using Pipeline.Client.Transport;

namespace Pipeline.Client.Subscriptions;

/// <summary>
/// A worker's connection that is made again when it is lost, with growing waits and a limit. For one caller at a time.
/// </summary>
internal sealed class SubscriptionLink(IDocumentTransport transport, string subscription, SubscribeOptions options)
    : IAsyncDisposable
{
    private readonly TimeProvider _time = options.Time;
    private ISubscriptionConnection? _connection;
    private bool _wasConnected;
    private int _failures;
    private long _connectedAt;
    private long? _lostAt;

    /// <summary>The connection of the last batch.</summary>
    public ISubscriptionConnection Connection =>
        _connection ?? throw new InvalidOperationException("no batch was delivered yet");

    /// <summary>Waits for a batch, and connects as often as it must.</summary>
    /// <returns>The batch; <see langword="null"/> at the end.</returns>
    /// <exception cref="SubscriptionException">
    /// The subscription cannot be used, or the time to reconnect is over.
    /// </exception>
    public async ValueTask<DeliveredBatch?> NextAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                if (_connection is null)
                {
                    _connection = await transport
                        .ConnectAsync(subscription, options, cancellationToken)
                        .ConfigureAwait(false);
                    (_wasConnected, _connectedAt, _lostAt) = (true, _time.GetTimestamp(), null);
                    options.Connected?.Invoke();
                }

                var batch = await _connection.NextAsync(cancellationToken).ConfigureAwait(false);
                _failures = 0;
                return batch;
            }
            catch (SubscriptionException e)
            {
                await RecoverAsync(e, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Prepares the next attempt to connect: leaves the connection that is lost, and waits.</summary>
    /// <exception cref="SubscriptionException">The problem does not pass, or the time to reconnect is over.</exception>
    public async ValueTask RecoverAsync(SubscriptionException problem, CancellationToken cancellationToken)
    {
        var isLost = _connection is not null;
        if (isLost && _time.GetElapsedTime(_connectedAt) > options.MaxReconnectDelay)
            _failures = 0;
        await DisposeAsync().ConfigureAwait(false);

        // The server may not have noticed yet that this worker's former connection is gone, and then refuses the worker
        // because of itself.
        if (!problem.CanReconnect && !(problem.Problem == SubscriptionProblem.InUse && _wasConnected))
            throw Again(problem);
        // A pause is intended and may take days.
        _lostAt = problem.Problem == SubscriptionProblem.Paused ? null : _lostAt ?? _time.GetTimestamp();
        var wait = _failures == 0 && isLost ? TimeSpan.Zero : Wait(isLost || _wasConnected ? _failures : _failures + 1);
        _failures++;
        if (
            options.MaxReconnectTime >= TimeSpan.Zero
            && _lostAt is { } since
            && _time.GetElapsedTime(since) + wait > options.MaxReconnectTime
        )
        {
            throw Again(problem);
        }

        options.Interrupted?.Invoke(new SubscriptionInterruption(problem, _failures, wait));
        if (wait > TimeSpan.Zero)
            await Task.Delay(wait, _time, cancellationToken).ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
    }

    public async ValueTask DisposeAsync()
    {
        var connection = _connection;
        _connection = null;
        if (connection is not null)
            await connection.DisposeAsync().ConfigureAwait(false);
    }

    private TimeSpan Wait(int failures) =>
        TimeSpan.FromTicks(
            (long)
                Math.Min(
                    options.ReconnectDelay.Ticks * Math.Pow(2, Math.Clamp(failures - 1, 0, 30)),
                    options.MaxReconnectDelay.Ticks
                )
        );

    private static SubscriptionException Again(SubscriptionException problem) =>
        new(problem.Subscription, problem.Problem, problem.Message, problem);
}
