namespace Pipeline.Indexing;

/// <summary>
/// Entries with a number between two bounds, with the score 1. Longs and doubles compare exactly with each other.
/// </summary>
/// <param name="Field">The field's name.</param>
/// <param name="Low">The lower bound; <see cref="NumericKey.Min"/> for none.</param>
/// <param name="High">The upper bound; <see cref="NumericKey.Max"/> for none.</param>
/// <param name="IncludeLow">Whether the lower bound itself is within.</param>
/// <param name="IncludeHigh">Whether the upper bound itself is within.</param>
public sealed record NumberRangeQuery(
    string Field,
    NumericKey Low,
    NumericKey High,
    bool IncludeLow = true,
    bool IncludeHigh = true
) : Query
{
    /// <summary>Whole numbers from one to another, both included.</summary>
    /// <param name="field">The field's name.</param>
    /// <param name="low">The lower bound.</param>
    /// <param name="high">The upper bound.</param>
    public NumberRangeQuery(string field, long low, long high)
        : this(field, NumericKey.From(low), NumericKey.From(high)) { }
}
