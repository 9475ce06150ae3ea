namespace Pipeline.Backups;

/// <summary>
/// Which backups are kept. A chain is a full backup with the increments that need it. A chain is kept or removed as a
/// whole, and the newest is always kept.
/// </summary>
public sealed record RetentionPolicy
{
    /// <summary>How many of the newest chains to keep; null for no rule.</summary>
    public int? Keep { get; init; }

    /// <summary>For how many days to keep the newest chain of each day.</summary>
    public int Daily { get; init; }

    /// <summary>For how many weeks (ISO, starting on Monday) to keep the newest chain of each week.</summary>
    public int Weekly { get; init; }

    /// <summary>For how many months to keep the newest chain of each month.</summary>
    public int Monthly { get; init; }

    /// <summary>For how many years to keep the newest chain of each year.</summary>
    public int Yearly { get; init; }

    /// <summary>Whether there is no rule, so that everything is kept.</summary>
    public bool KeepsAll => Keep is null && Daily == 0 && Weekly == 0 && Monthly == 0 && Yearly == 0;
}
