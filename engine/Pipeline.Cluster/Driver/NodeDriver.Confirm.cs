namespace Pipeline.Cluster;

/// <content>Reads that the log confirms, without trusting a lease.</content>
internal sealed partial class NodeDriver
{
    /// <summary>The callers that wait for the next confirmation. Only the node's thread uses the list.</summary>
    private List<TaskCompletionSource<bool>> _unconfirmed = [];
    private List<TaskCompletionSource<bool>>? _confirming;

    /// <summary>
    /// Asks the log whether this node leads. A snapshot that is opened after a positive answer contains every write
    /// that was acknowledged before this call, however wrong clocks are. Calls that arrive during a confirmation share
    /// the next one. Thread-safe.
    /// </summary>
    /// <param name="ct">Ends the wait. If the node fails, the call never completes by itself.</param>
    /// <returns>
    /// Whether this node leads. If not, or if the log does not answer, ask again or ask another node.
    /// </returns>
    public async Task<bool> ConfirmAsync(CancellationToken ct = default)
    {
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        var confirmed = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        Post(() => _unconfirmed.Add(confirmed));
        return await confirmed.Task.WaitAsync(ct).ConfigureAwait(false);
    }

    /// <summary>Begins the next confirmation, unless one is under way.</summary>
    private void Confirm()
    {
        if (_replica.Stall is not null)
        {
            // A stalled loop no longer answers.
            EndConfirmation(false);
            (_confirming, _unconfirmed) = (_unconfirmed, []);
            EndConfirmation(false);
            return;
        }
        if (_confirming is not null || _unconfirmed.Count == 0)
            return;
        (_confirming, _unconfirmed) = (_unconfirmed, []);
        _replica.Confirm(EndConfirmation);
    }

    private void EndConfirmation(bool leads)
    {
        var asked = _confirming ?? [];
        _confirming = null;
        foreach (var confirmed in asked)
            confirmed.TrySetResult(leads);
        if (_unconfirmed.Count > 0)
            Wake();
    }
}
