namespace Pipeline.Etl.Replays;

/// <summary>A replay that is under way.</summary>
/// <param name="After">The position that it began after.</param>
/// <param name="At">Everything up to here is sent again.</param>
/// <param name="Through">Where it ends.</param>
/// <param name="Documents">Documents that a query chose; <see langword="null"/> where all changes of the stretch are meant.</param>
public sealed record ReplayStatus(long After, long At, long Through, int? Documents)
{
    /// <summary>Whether the task began it by itself since it was too far behind: deletions were missed before it.</summary>
    public bool IsResync { get; init; }
}
