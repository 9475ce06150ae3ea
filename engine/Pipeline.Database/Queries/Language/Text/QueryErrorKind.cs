namespace Pipeline.Database.Queries.Language;

/// <summary>Why a query is refused.</summary>
public enum QueryErrorKind
{
    /// <summary>The text is not in the query language.</summary>
    Syntax,

    /// <summary>The text is longer, deeper or wider than the limits allow.</summary>
    Limit,

    /// <summary>The text means something that this database does not do.</summary>
    NotSupported,

    /// <summary>A parameter is missing or holds a value that cannot be used there.</summary>
    Parameter,

    /// <summary>
    /// The text is in the language, but its meaning is impossible: a field that the index lacks, a number as a path.
    /// </summary>
    Meaning,
}
