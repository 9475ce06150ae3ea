namespace Pipeline.Storage;

internal sealed unsafe partial class Flusher
{
    /// <summary>Does something while no flush writes to the data file.</summary>
    public T WithoutFlush<T>(Func<T> action)
    {
        lock (_flushing)
            return action();
    }

    /// <summary>Reads both meta pages back, while none is being written, and returns the problems.</summary>
    public List<(long Page, string Reason)> CheckMetas()
    {
        var wrong = new List<(long Page, string Reason)>();
        lock (_flushing)
        {
            if (_closed || _store.Failure is not null)
                return wrong;
            var sequence = _store.Checkpoint.Sequence;
            for (var slot = 0; slot < 2; slot++)
            {
                var holds = slot == (sequence & 1);
                // A store that was never opened again, which one in memory cannot be, may not have written its second
                // one yet.
                if (
                    (holds || _store.Journal is not null)
                    && _store.Data.CheckMeta(slot, holds ? sequence : null) is { } reason
                )
                {
                    wrong.Add((slot, reason));
                }
            }
        }
        return wrong;
    }
}
