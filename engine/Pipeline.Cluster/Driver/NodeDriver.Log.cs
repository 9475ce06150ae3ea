namespace Pipeline.Cluster;

/// <content>Reading the log and appending to it.</content>
internal sealed partial class NodeDriver
{
    private async Task AppendAsync(long id, ReadOnlyMemory<byte> record, long expected)
    {
        AppendAnswer answer;
        try
        {
            answer = await _log.AppendAsync(record, expected, _stop.Token).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // Whatever the log throws, the record may have landed, so its outcome is unknown.
        catch (Exception e)
#pragma warning restore CA1031
        {
            answer = AppendAnswer.Unknown(e);
        }
        if (answer.Cause is { } cause)
            Volatile.Write(ref _logProblem, cause);
        Post(() => _replica.Answered(id, answer));
    }

    private async Task ReadAsync()
    {
        var ct = _stop.Token;
        var hasNews = true;
        while (!ct.IsCancellationRequested)
        {
            try
            {
                var (place, from, reads, needsEnd) = await DoAsync(FindPlace).WaitAsync(ct).ConfigureAwait(false);
                if (!reads)
                {
                    await Task.Delay(_options.LogRetry, _options.Time, ct).ConfigureAwait(false);
                    continue;
                }
                if (needsEnd)
                {
                    var bounds = await _log.GetBoundsAsync(ct).ConfigureAwait(false);
                    await DoAsync(() => _replica.EndsAt(bounds.End)).WaitAsync(ct).ConfigureAwait(false);
                }
                // Each read begins with the record before the place, to check that the log still has it. That record
                // makes the read return at once, so a separate read waits for new records.
                if (!hasNews)
                    await _log.ReadAsync(place, 1, _options.ReadWait, ct).ConfigureAwait(false);
                var batch = await _log.ReadAsync(from, _options.ReadBytes, TimeSpan.Zero, ct).ConfigureAwait(false);
                Volatile.Write(ref _logProblem, null);
                hasNews = batch.Next > place && batch.Next < batch.End;
                await DoAsync(() => _replica.Read(batch.First, batch.Records, batch.End))
                    .WaitAsync(ct)
                    .ConfigureAwait(false);
            }
            catch (LogTrimmedException)
            {
                await DoAsync(_replica.Trimmed).WaitAsync(ct).ConfigureAwait(false);
            }
            catch (LogTruncatedException e)
            {
                await DoAsync(() => _replica.Read(e.End, [], e.End)).WaitAsync(ct).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (ct.IsCancellationRequested)
            {
                return;
            }
#pragma warning disable CA1031 // A log that cannot be read is unavailable. The node continues when it is back.
            catch (Exception e)
#pragma warning restore CA1031
            {
                Volatile.Write(ref _logProblem, e);
                Wake();
                hasNews = false;
                await Task.Delay(_options.LogRetry, _options.Time, ct)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    /// <summary>
    /// Where to continue reading, whether to read at all, and whether the loop must know the log's end first.
    /// </summary>
    private (long Place, long From, bool Reads, bool NeedsEnd) FindPlace()
    {
        var loop = _replica.Loop;
        var reads = loop.Role != NodeRole.Stopped && _replica.Stall is null;
        return (loop.Place, loop.ReadFrom, reads, reads && loop.NeedsEnd);
    }
}
