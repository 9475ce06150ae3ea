namespace Pipeline.Storage;

/// <summary>How far a scrub is.</summary>
/// <param name="Tree">The tree that it is in.</param>
/// <param name="Pages">Pages dealt with.</param>
/// <param name="TotalPages">Pages in use when it was last looked.</param>
/// <param name="DamagedPages">Damaged ones among them.</param>
public readonly record struct ScrubProgress(string Tree, long Pages, long TotalPages, long DamagedPages);
