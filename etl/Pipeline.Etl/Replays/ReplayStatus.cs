namespace Pipeline.Etl.Replays;

/// <summary>A replay in progress.</summary>
/// <param name="After">The position that it began after.</param>
/// <param name="At">Everything up to this position has been resent.</param>
/// <param name="Through">Where it ends.</param>
/// <param name="Documents">
/// Documents that a query chose; <see langword="null"/> if all changes in the range are replayed.
/// </param>
public sealed record ReplayStatus(long After, long At, long Through, int? Documents)
{
    /// <summary>
    /// Whether the task started it because it had exceeded its maximum lag. Deletions before it were missed.
    /// </summary>
    public bool IsResync { get; init; }
}
