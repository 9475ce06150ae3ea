namespace Pipeline.Indexing;

/// <summary>
/// One criterion for sorting hits. Entries without a value come first, or last in descending order. Immutable.
/// </summary>
/// <param name="Descending">Whether the greatest come first.</param>
public abstract record SearchOrder(bool Descending)
{
    /// <summary>The best scores first.</summary>
    public static SearchOrder Score { get; } = new ScoreOrder();
}

/// <summary>Order by the first value of a field.</summary>
/// <param name="Field">The field's name.</param>
/// <param name="Form">What values are compared as.</param>
/// <param name="Descending">Whether the greatest come first.</param>
public sealed record FieldOrder(string Field, SortForm Form, bool Descending = false) : SearchOrder(Descending);

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

/// <summary>Order by score.</summary>
/// <param name="Descending">Whether the best come first.</param>
public sealed record ScoreOrder(bool Descending = true) : SearchOrder(Descending);

/// <summary>An order that looks random and is the same for the same seed and snapshot.</summary>
/// <param name="Seed">The seed.</param>
public sealed record RandomOrder(long Seed) : SearchOrder(Descending: false);

/// <summary>Order by the distance of an entry's first point from another.</summary>
/// <param name="Field">The field with the points.</param>
/// <param name="Latitude">The other point's latitude, in degrees.</param>
/// <param name="Longitude">Its longitude, in degrees.</param>
/// <param name="Descending">Whether the farthest come first.</param>
/// <param name="RoundTo">
/// In metres: distances are the same where they have as many whole multiples of it; 0 for exact ones.
/// </param>
public sealed record DistanceOrder(
    string Field,
    double Latitude,
    double Longitude,
    bool Descending = false,
    double RoundTo = 0
) : SearchOrder(Descending);
