namespace Pipeline.Indexing;

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
