namespace Pipeline.Etl.Replays;

/// <summary>What a replay would send.</summary>
/// <param name="After">The position that it would begin after.</param>
/// <param name="Through">Where it would end.</param>
/// <param name="Documents">Changes that the transform would get.</param>
/// <param name="Messages">Messages by destination.</param>
/// <param name="Failed">Changes that the transform fails on.</param>
/// <param name="Errors">The first of these errors, by document.</param>
/// <param name="Sample">The first messages, a line each.</param>
public sealed record ReplayTrial(
    long After,
    long Through,
    long Documents,
    IReadOnlyDictionary<string, long> Messages,
    long Failed,
    IReadOnlyDictionary<string, string> Errors,
    IReadOnlyList<string> Sample
);
