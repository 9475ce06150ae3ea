namespace Pipeline.Etl.Replays;

/// <summary>The changes that a task sends again; one of the three.</summary>
public sealed record ReplayRequest
{
    /// <summary>The changes from this position on.</summary>
    public long? From { get; init; }

    /// <summary>The changes since this time.</summary>
    public DateTimeOffset? Since { get; init; }

    /// <summary>The documents that a query finds.</summary>
    public string? Query { get; init; }
}

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

/// <summary>A replay cannot begin.</summary>
public sealed class ReplayException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">Why, and what to do.</param>
    /// <param name="innerException">The cause.</param>
    public ReplayException(string message, Exception? innerException = null)
        : base(message, innerException) { }
}
