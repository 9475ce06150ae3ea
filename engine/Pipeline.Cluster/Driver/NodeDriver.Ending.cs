using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <content>The end of a node: it waits for the operations that it has accepted, but not for a silent log.</content>
internal sealed partial class NodeDriver
{
    /// <summary>
    /// Watches the log of a node that is about to stop. Once the log has confirmed nothing for
    /// <see cref="DriverOptions.StopTimeout"/>, the node ends, and callers learn that the outcome is unknown. Without
    /// this, callers wait until the log confirms, however long that takes, and a stop waits for the callers.
    /// </summary>
    /// <returns>A task that completes when the node has ended so, or is disposed.</returns>
    public async Task EndWhereSilentAsync()
    {
        var end = _stop.Token;
        try
        {
            while (true)
            {
                var confirmed = _store.LastCommittedTransaction;
                if (await SettleAsync().ConfigureAwait(false))
                    await Task.Delay(_options.SilenceLook, _options.Time, end).ConfigureAwait(false);
                else if (_store.LastCommittedTransaction == confirmed)
                    break;
            }
            await DoAsync(() => Fail(Unconfirmed())).WaitAsync(end).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (end.IsCancellationRequested)
        {
            return;
        }
    }

    private LogSilentException Unconfirmed() => new(_name, _options.StopTimeout);

    /// <summary>Waits for the operations accepted until now; not for a log that is silent.</summary>
    /// <returns>Whether all have an outcome.</returns>
    private async Task<bool> SettleAsync()
    {
        using var timeout = new CancellationTokenSource(_options.StopTimeout, _options.Time);
        try
        {
            // This write lands after all operations accepted before it.
            if (_store.Role == StorageRole.Leader)
                await _store.WriteAsync(static _ => true).WaitAsync(timeout.Token).ConfigureAwait(false);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
        catch (Exception e) when (e is StorageException or ObjectDisposedException)
        {
            return true; // The node does not lead, so no operation is left without an outcome.
        }
    }
}
