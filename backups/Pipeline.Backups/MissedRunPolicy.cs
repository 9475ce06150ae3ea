namespace Pipeline.Backups;

/// <summary>What is done about scheduled runs that were missed.</summary>
public enum MissedRunPolicy
{
    /// <summary>One run makes up for all of them, at once.</summary>
    RunOnce,

    /// <summary>The next run is the next one of the schedule.</summary>
    Skip,
}
