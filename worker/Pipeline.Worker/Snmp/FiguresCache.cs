namespace Pipeline.Worker.Snmp;

/// <summary>
/// Keeps the figures of a worker for some seconds, so that a walk reads them once. Not thread-safe: the protocol has
/// one request at a time.
/// </summary>
/// <typeparam name="T">What is kept.</typeparam>
/// <param name="read">Reads it; must not fail except by cancellation.</param>
/// <param name="time">The clock.</param>
internal sealed class FiguresCache<T>(Func<CancellationToken, Task<T>> read, TimeProvider time)
    where T : class
{
    /// <summary>For how long figures are used without asking again.</summary>
    public static readonly TimeSpan Freshness = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a request waits for new figures if old ones can still be used. While snmpd waits, its other clients
    /// wait too, and they repeat a request after a second.
    /// </summary>
    public static readonly TimeSpan WaitTimeout = TimeSpan.FromMilliseconds(700);

    /// <summary>For how long old figures can be used while a slow worker is asked for new ones.</summary>
    public static readonly TimeSpan Usability = TimeSpan.FromMinutes(2);

    private T? _kept;
    private long _keptAt;
    private Task<(T Figures, long At)>? _reading;
    private bool _hasWaited;

    /// <summary>The figures, read anew if the kept ones are old.</summary>
    public async Task<T> GetAsync(CancellationToken cancellationToken)
    {
        // A reading may have ended long ago: nobody asked since.
        if (_reading is { IsCompleted: true })
            await KeepAsync(_reading).ConfigureAwait(false);
        var age = time.GetElapsedTime(_keptAt);
        if (_kept is not null && _reading is null && age < Freshness)
            return _kept;
        _reading ??= ReadAsync(cancellationToken);
        if (_kept is null || age >= Usability)
            await _reading.WaitAsync(cancellationToken).ConfigureAwait(false);
        else if (!await IsReadAsync(_reading, cancellationToken).ConfigureAwait(false))
            return _kept;
        return await KeepAsync(_reading).ConfigureAwait(false);
    }

    // They are as old as the question: an answer may come from any moment since.
    private async Task<(T Figures, long At)> ReadAsync(CancellationToken cancellationToken)
    {
        var at = time.GetTimestamp();
        return (await read(cancellationToken).ConfigureAwait(false), at);
    }

    private async Task<T> KeepAsync(Task<(T Figures, long At)> reading)
    {
        (_kept, _keptAt) = await reading.ConfigureAwait(false);
        (_reading, _hasWaited) = (null, false);
        return _kept;
    }

    /// <summary>Waits once for each reading: a walk would otherwise wait at each of its requests.</summary>
    private async Task<bool> IsReadAsync(Task reading, CancellationToken cancellationToken)
    {
        if (_hasWaited || reading.IsCompleted)
            return reading.IsCompleted;
        _hasWaited = true;
        try
        {
            await reading.WaitAsync(WaitTimeout, time, cancellationToken).ConfigureAwait(false);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }
}
