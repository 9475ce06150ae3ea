namespace Pipeline.Backups;

/// <summary>A time of each day at which no run begins; what would begin then begins at its end.</summary>
/// <param name="Start">The first moment of it.</param>
/// <param name="End">The first moment after it; at or before the start it is on the next day.</param>
public sealed record BlackoutWindow(TimeOnly Start, TimeOnly End)
{
    /// <summary>Whether a time of the day lies within.</summary>
    public bool Contains(TimeOnly time) => time.IsBetween(Start, End);
}
