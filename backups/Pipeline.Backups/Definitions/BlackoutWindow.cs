namespace Pipeline.Backups;

/// <summary>A time of each day at which no run starts; a run due then starts at its end.</summary>
/// <param name="Start">The first moment.</param>
/// <param name="End">The first moment after it; if it is not later than the start, it is on the next day.</param>
public sealed record BlackoutWindow(TimeOnly Start, TimeOnly End)
{
    /// <summary>Whether a time of the day lies within.</summary>
    public bool Contains(TimeOnly time) => time.IsBetween(Start, End);
}
