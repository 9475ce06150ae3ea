using System.Globalization;
using Pipeline.Database;
using Pipeline.Storage;

namespace Pipeline.Worker.Hosting;

/// <summary>Whether the database takes writes, found out by a write of private state. Thread-safe. Asks at most every five seconds, so that many who
/// look at the health do not load the disk.</summary>
internal sealed class StorageProbe(DocumentDatabase database, TimeProvider time) : IDisposable
{
    private const string StateKey = "worker/health";
    private static readonly TimeSpan Freshness = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(3);

    private readonly SemaphoreSlim _one = new(1);
    private HealthCheck? _last;
    private long _lastTime;

    /// <summary>Looks.</summary>
    public async Task<HealthCheck> CheckAsync(CancellationToken cancellationToken)
    {
        await _one.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_last is null || time.GetElapsedTime(_lastTime) > Freshness)
            {
                _last = await WriteAsync(cancellationToken).ConfigureAwait(false);
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

    private async Task<HealthCheck> WriteAsync(CancellationToken cancellationToken)
    {
        var value = BitConverter.GetBytes(time.GetUtcNow().UtcTicks);
        try
        {
            await database.WriteAsync(t => t.SetState(StateKey, value), cancellationToken).WaitAsync(Patience, time, cancellationToken).ConfigureAwait(false);
            return new HealthCheck("storage", true, string.Create(CultureInfo.InvariantCulture, $"writable, position {database.LastPosition}"));
        }
        catch (TimeoutException)
        {
            return new HealthCheck("storage", false, string.Create(CultureInfo.InvariantCulture, $"a write was not durable after {Patience.TotalSeconds} s"));
        }
        catch (Exception e) when (e is StorageException or IOException or ObjectDisposedException)
        {
            return new HealthCheck("storage", false, e.Message);
        }
    }
}
