namespace Pipeline.Indexing;

/// <summary>The type as which a field's values are compared.</summary>
public enum SortForm
{
    /// <summary>Terms in byte order.</summary>
    String,

    /// <summary>Whole numbers; fractions are ignored.</summary>
    Long,

    /// <summary>Numbers.</summary>
    Double,

    /// <summary>Terms in which runs of digits count as numbers: <c>a2</c> before <c>a10</c>.</summary>
    Alphanumeric,
}
