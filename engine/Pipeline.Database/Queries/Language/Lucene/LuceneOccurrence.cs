namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>Whether a clause must hold.</summary>
public enum LuceneOccurrence
{
    /// <summary>
    /// The clause may match, and then adds to the score. If there is no required clause, at least one optional clause
    /// must match.
    /// </summary>
    Should,

    /// <summary>The clause must match.</summary>
    Must,

    /// <summary>It must not.</summary>
    MustNot,
}
