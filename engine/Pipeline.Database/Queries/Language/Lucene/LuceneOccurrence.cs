namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>Whether a clause must hold.</summary>
public enum LuceneOccurrence
{
    /// <summary>It may, and counts for the score; one of them must where nothing else must.</summary>
    Should,

    /// <summary>It must.</summary>
    Must,

    /// <summary>It must not.</summary>
    MustNot,
}
