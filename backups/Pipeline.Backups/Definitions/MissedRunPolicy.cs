namespace Pipeline.Backups;

/// <summary>What happens to scheduled runs that were missed.</summary>
public enum MissedRunPolicy
{
    /// <summary>One run starts at once and makes up for all of them.</summary>
    RunOnce,

    /// <summary>Missed runs are skipped; the schedule continues with the next run.</summary>
    Skip,
}
