namespace Pipeline.Cluster;

/// <summary>
/// Finds the address of a log's leader, for a node that has no store to look it up in. Each beat carries it.
/// </summary>
internal static class LeaderSearch
{
    private const int ReadBytes = 1 << 20;
    private const long FirstWindow = 1_000;

    /// <summary>
    /// The address in the log's last beat that has one. It is a hint: that leader may have ended, or may have been
    /// deposed before it wrote the beat.
    /// </summary>
    /// <returns>The address; null if no record that the log holds has one.</returns>
    /// <exception cref="SharedLogException">The log cannot be read.</exception>
    public static async Task<string?> FindAddressAsync(ISharedLog log, CancellationToken ct = default)
    {
        var bounds = await log.GetBoundsAsync(ct).ConfigureAwait(false);
        var to = bounds.End;
        for (var window = FirstWindow; to > bounds.First; window *= 4)
        {
            var from = Math.Max(bounds.First, to - window);
            if (await FindAsync(log, from, to, ct).ConfigureAwait(false) is { } address)
                return address;
            to = from;
        }
        return null;
    }

    private static async Task<string?> FindAsync(ISharedLog log, long from, long to, CancellationToken ct)
    {
        string? last = null;
        while (from < to)
        {
            var batch = await log.ReadAsync(from, ReadBytes, TimeSpan.Zero, ct).ConfigureAwait(false);
            if (batch.Records.Count == 0)
                break;
            foreach (var bytes in batch.Records)
            {
                if (
                    LogRecord.TryRead(bytes, out var record) == RecordCheck.Sound
                    && record is { Kind: RecordKind.Beat, Address: { Length: > 0 } address }
                )
                {
                    last = address;
                }
            }
            from = batch.Next;
        }
        return last;
    }
}
