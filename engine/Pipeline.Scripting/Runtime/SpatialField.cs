using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// A place or shape: the result of <c>CreateSpatialField</c>. Neither a point nor a shape if an argument was null.
/// </summary>
/// <param name="Latitude">In degrees, north positive.</param>
/// <param name="Longitude">In degrees, east positive.</param>
/// <param name="Wkt">A shape as well-known text.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct SpatialField(double? Latitude, double? Longitude, string? Wkt);
