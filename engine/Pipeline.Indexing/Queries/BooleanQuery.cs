namespace Pipeline.Indexing;

/// <summary>
/// Entries that match all of <see cref="Must"/> and <see cref="Filter"/>, none of <see cref="MustNot"/>, and enough of
/// <see cref="Should"/>. The score is the sum of what matches in <see cref="Must"/> and <see cref="Should"/>. With
/// <see cref="MustNot"/> alone, all entries but those; with nothing, none.
/// </summary>
public sealed record BooleanQuery : Query
{
    /// <summary>The clauses that must match and that score.</summary>
    public IReadOnlyList<Query> Must { get; init; } = [];

    /// <summary>The clauses that must match and that do not score.</summary>
    public IReadOnlyList<Query> Filter { get; init; } = [];

    /// <summary>Queries that may match; those that match add to the score.</summary>
    public IReadOnlyList<Query> Should { get; init; } = [];

    /// <summary>Queries that must not match.</summary>
    public IReadOnlyList<Query> MustNot { get; init; } = [];

    /// <summary>
    /// How many of <see cref="Should"/> must match. Null means 1 if both <see cref="Must"/> and <see cref="Filter"/>
    /// are empty, else 0. With 0, every entry matches that no other clause excludes.
    /// </summary>
    public int? MinimumShouldMatch { get; init; }

    /// <summary>All of some queries.</summary>
    /// <param name="queries">The queries.</param>
    /// <returns>Their conjunction.</returns>
    public static BooleanQuery And(params Query[] queries) => new() { Must = queries };

    /// <summary>At least one of some queries.</summary>
    /// <param name="queries">The queries.</param>
    /// <returns>Their disjunction.</returns>
    public static BooleanQuery Or(params Query[] queries) => new() { Should = queries };

    /// <summary>All entries but those of a query.</summary>
    /// <param name="query">The query.</param>
    /// <returns>Its negation.</returns>
    public static BooleanQuery Not(Query query) => new() { MustNot = [query] };
}

/// <summary>Every entry, with the score 1.</summary>
public sealed record AllQuery : Query
{
    private AllQuery() { }

    /// <summary>The only one.</summary>
    public static AllQuery Instance { get; } = new();
}

/// <summary>Matches no entry: the query for a text without tokens, or for an empty list of values.</summary>
public sealed record NoneQuery : Query
{
    private NoneQuery() { }

    /// <summary>The only one.</summary>
    public static NoneQuery Instance { get; } = new();
}

/// <summary>The entries of a query, with their scores multiplied.</summary>
/// <param name="Inner">The query.</param>
/// <param name="Factor">What scores are multiplied by; finite, 0 or more.</param>
public sealed record BoostQuery(Query Inner, float Factor) : Query;

/// <summary>The entries of a query, all with the same score.</summary>
/// <param name="Inner">The query.</param>
/// <param name="Score">The score; finite, 0 or more.</param>
public sealed record ConstantScoreQuery(Query Inner, float Score = 1) : Query;

/// <summary>The entries of a query; each score is multiplied by a number stored with the entry.</summary>
/// <param name="Inner">The query.</param>
/// <param name="Field">
/// The field with the numbers. The first one that was added to an entry as a double counts, 1 if there is none; it is
/// finite and 0 or more.
/// </param>
public sealed record EntryBoostQuery(Query Inner, string Field) : Query;
