namespace Pipeline.Cluster;

/// <summary>
/// Decides when a leader may answer reads, and when it may acknowledge writes. Times are those of the process's own
/// clock, which also runs while the machine sleeps.
/// </summary>
/// <remarks>
/// A lease starts when an accepted record was <em>sent</em>. Another process leads only after it has <em>read</em> its
/// own claim, which follows every record of that lease. So it has also read the last of these records, later than it
/// was sent. From that moment it waits a whole lease, and the most that clocks may differ by, before it acknowledges
/// writes. If it claimed because it had heard nothing for so long, the wait is over already.
/// </remarks>
/// <param name="lease">The length of a lease.</param>
/// <param name="wait">How long a new leader waits: longer than a lease by as much as clocks may differ.</param>
internal struct LeaseClock(TimeSpan lease, TimeSpan wait)
{
    private TimeSpan _until = TimeSpan.MinValue;
    private TimeSpan _waits = TimeSpan.MinValue;

    /// <summary>
    /// When this process's own wait is over. Its writes are accepted earlier, but must not be acknowledged yet.
    /// </summary>
    public readonly TimeSpan WaitsUntil => _waits;

    /// <summary>When this process's lease ends.</summary>
    public readonly TimeSpan Until => _until;

    /// <summary>The claim of this process was accepted.</summary>
    /// <param name="heard">When it last read an accepted record of another process, or began.</param>
    /// <param name="before">The state before the claim.</param>
    /// <param name="self">The start id of this process.</param>
    public void Claimed(TimeSpan heard, in AutomatonState before, Guid self)
    {
        // A leader hands over only after its own wait, so no lease at all is left. If this process led before, _waits
        // already holds its wait.
        var nobodyElse = before.Phase is LogPhase.Vacant or LogPhase.HandedOver || before.Leader == self;
        if (!nobodyElse)
            _waits = Max(_waits, heard + wait);
    }

    /// <summary>A record of this process, sent at that time, is accepted in its current epoch.</summary>
    public void Renew(TimeSpan sent) => _until = Max(_until, sent + lease);

    /// <summary>Ends the lease: the process no longer leads, or stops serving reads.</summary>
    public void GiveUp() => _until = TimeSpan.MinValue;

    /// <summary>Whether a snapshot taken before this call contains every acknowledged write.</summary>
    public readonly bool MayRead(TimeSpan now) => now < _until && MayAcknowledge(now);

    /// <summary>Whether all leases of other processes have expired.</summary>
    public readonly bool MayAcknowledge(TimeSpan now) => now >= _waits;

    private static TimeSpan Max(TimeSpan a, TimeSpan b) => a > b ? a : b;
}
