using System.ComponentModel;

namespace Pipeline.Database.Scripts.Runtime;

/// <summary>A place or shape: what <c>CreateSpatialField</c> gives. Neither a point nor a shape where an argument was null.</summary>
/// <param name="Latitude">In degrees, north positive.</param>
/// <param name="Longitude">In degrees, east positive.</param>
/// <param name="Wkt">A shape as well-known text.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct SpatialField(double? Latitude, double? Longitude, string? Wkt);
