namespace Pipeline.Backups.Retention;

/// <summary>Which backups stay. A chain is a full backup with the increments that need it; it stays or goes as a whole, and the newest always stays.</summary>
public sealed record RetentionPolicy
{
    /// <summary>So many of the newest chains stay; null where no rule counts them.</summary>
    public int? Keep { get; init; }

    /// <summary>Of each of so many days, the newest chain stays.</summary>
    public int Daily { get; init; }

    /// <summary>Of each of so many weeks (ISO, from Monday on).</summary>
    public int Weekly { get; init; }

    /// <summary>Of each of so many months.</summary>
    public int Monthly { get; init; }

    /// <summary>Of each of so many years.</summary>
    public int Yearly { get; init; }

    /// <summary>Whether there is no rule, so that all stay.</summary>
    public bool KeepsAll => Keep is null && Daily == 0 && Weekly == 0 && Monthly == 0 && Yearly == 0;
}
