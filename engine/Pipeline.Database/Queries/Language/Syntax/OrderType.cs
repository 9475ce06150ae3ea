namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>How values are compared for sorting.</summary>
public enum OrderType
{
    /// <summary>Nothing was said.</summary>
    Unspecified,

    /// <summary>As texts.</summary>
    String,

    /// <summary>As integers.</summary>
    Long,

    /// <summary>As numbers with a fraction.</summary>
    Double,

    /// <summary>As texts whose digits count as numbers: <c>a2</c> before <c>a10</c>.</summary>
    AlphaNumeric,
}
