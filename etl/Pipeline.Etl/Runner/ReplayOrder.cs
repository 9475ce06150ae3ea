using Pipeline.Etl.DeadLetters;

namespace Pipeline.Etl.Runner;

/// <summary>
/// Keeps a replay from sending a message after a newer one of the same key. It remembers the keys that the live tail
/// sends while the replay runs. The reader begins and ends it; only the sender uses the rest.
/// </summary>
internal sealed class ReplayOrder(string task)
{
    /// <summary>The maximum number of keys that the live tail may send during a replay.</summary>
    public const int MaxNewerKeys = 1_000_000;

    private readonly HashSet<string> _newer = new(StringComparer.Ordinal);
    private long _through = -1;

    /// <summary>Begins a replay up to a position.</summary>
    public void Begin(long through) => Volatile.Write(ref _through, through);

    /// <summary>Ends the replay.</summary>
    public void End() => Volatile.Write(ref _through, -1);

    /// <summary>
    /// Processes a batch before it is sent: remembers the keys of a live batch, and removes older messages of these
    /// keys from a replayed one.
    /// </summary>
    /// <returns>Whether the batch ends the replay.</returns>
    public bool Follow(PreparedBatch batch)
    {
        var through = Volatile.Read(ref _through);
        if (through < 0)
            return false;
        if (batch.Origin == BatchOrigin.Replay)
        {
            if (_newer.Count > 0)
                batch.Messages.RemoveAll(m => _newer.Contains(HoldKey.Of(m)));
            if (!batch.EndsReplay)
                return false;
            _newer.Clear();
            End();
            return true;
        }

        if (batch.Position <= through)
            return false;
        foreach (var message in batch.Messages.Where(m => m.Position > through && m.Key is not null))
            _newer.Add(HoldKey.Of(message));
        if (_newer.Count > MaxNewerKeys)
        {
            throw new InvalidOperationException(
                $"More than {MaxNewerKeys} keys (MaxNewerKeys) changed during a replay of '{task}'. Start the replay again when fewer keys change."
            );
        }

        return false;
    }
}
