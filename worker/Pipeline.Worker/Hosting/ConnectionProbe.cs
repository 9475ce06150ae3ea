using Pipeline.Etl.Runner;

namespace Pipeline.Worker.Hosting;

/// <summary>Whether the connections that tasks send to would take messages now. Thread-safe. Asks at most every fifteen seconds, so that many who look at the
/// health do not load the brokers.</summary>
internal sealed class ConnectionProbe(EtlHost etl, TimeProvider time) : IDisposable
{
    private static readonly TimeSpan Freshness = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(3);

    private readonly SemaphoreSlim _one = new(1);
    private IReadOnlyList<HealthCheck> _last = [];
    private long? _lastTime;

    /// <summary>Looks. A target that is away is a warning: its tasks wait for it and lose nothing.</summary>
    public async Task<IReadOnlyList<HealthCheck>> CheckAsync(CancellationToken cancellationToken)
    {
        await _one.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_lastTime is not { } then || time.GetElapsedTime(then) > Freshness)
            {
                var answers = await etl.CheckConnectionsAsync(Patience, cancellationToken).ConfigureAwait(false);
                _last = [.. answers.Select(a => new HealthCheck("connection " + a.Key, a.Value is null, a.Value ?? "it takes messages") { IsWarning = true })];
                _lastTime = time.GetTimestamp();
            }

            return _last;
        }
        finally
        {
            _one.Release();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _one.Dispose();
}
