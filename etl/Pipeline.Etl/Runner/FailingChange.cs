namespace Pipeline.Etl.Runner;

/// <summary>
/// The change that a task fails at, and how often in a row. The reader and the sender share it, and it outlives the
/// runs that end with the failure.
/// </summary>
internal sealed class FailingChange
{
    private long _separate;
    private (long Position, int Runs) _script;
    private (long Position, int Runs) _oversize;

    /// <summary>The change that gets a separate batch, so that everything before it is sent; 0 for none.</summary>
    public long Separate => Volatile.Read(ref _separate);

    /// <summary>
    /// How often in a row the transform has failed at the change that <see cref="KeepRuns"/> recorded.
    /// </summary>
    public int Runs => _script.Runs;

    /// <summary>Gives a change a separate batch from now on.</summary>
    /// <returns>Whether it had none before.</returns>
    public bool SeparateFrom(long position) => Interlocked.Exchange(ref _separate, position) != position;

    /// <summary>
    /// How often in a row the transform has failed at a change, this time included. Only the reader calls it.
    /// </summary>
    public int RunsAt(long position) => _script.Position == position ? _script.Runs + 1 : 1;

    /// <summary>Records these failures: the next batch begins with that change.</summary>
    public void KeepRuns(long position, int runs) => _script = (position, runs);

    /// <summary>Forgets the failures, since the change was processed otherwise.</summary>
    public void ForgetRuns() => _script = default;

    /// <summary>Counts a failure at a change that has a message that is too large. Only the sender calls it.</summary>
    /// <returns>How often in a row, this time included.</returns>
    public int CountOversize(long position)
    {
        _oversize = (position, _oversize.Position == position ? _oversize.Runs + 1 : 1);
        return _oversize.Runs;
    }
}
