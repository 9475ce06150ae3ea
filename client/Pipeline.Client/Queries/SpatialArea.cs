using System.Globalization;
using Pipeline.Client.Queries;

namespace Pipeline.Client;

/// <summary>
/// Makes the areas of <see cref="SpatialQueryable"/>. Shapes are texts in WKT: <c>POLYGON((10 59, 11 59, 11 61, 10 61,
/// 10 59))</c>, the longitude first.
/// </summary>
public sealed class SpatialAreas
{
    private readonly QueryPlan _plan;

    internal SpatialAreas(QueryPlan plan) => _plan = plan;

    /// <summary>The places in a circle.</summary>
    /// <param name="radius">The radius, from 0.</param>
    /// <param name="latitude">The latitude of its centre in degrees.</param>
    /// <param name="longitude">The longitude of its centre in degrees.</param>
    /// <param name="unit">The unit of the radius.</param>
    public SpatialArea WithinRadius(
        double radius,
        double latitude,
        double longitude,
        DistanceUnit unit = DistanceUnit.Kilometers
    ) => Circle("spatial.within", radius, latitude, longitude, unit);

    /// <summary>The places outside a circle.</summary>
    /// <param name="radius">The radius, from 0.</param>
    /// <param name="latitude">The latitude of its centre in degrees.</param>
    /// <param name="longitude">The longitude of its centre in degrees.</param>
    /// <param name="unit">The unit of the radius.</param>
    public SpatialArea OutsideRadius(
        double radius,
        double latitude,
        double longitude,
        DistanceUnit unit = DistanceUnit.Kilometers
    ) => Circle("spatial.disjoint", radius, latitude, longitude, unit);

    /// <summary>The places in a shape.</summary>
    public SpatialArea Within(string wkt) => Shape("spatial.within", wkt);

    /// <summary>The places that a shape has in common with theirs.</summary>
    public SpatialArea Intersects(string wkt) => Shape("spatial.intersects", wkt);

    /// <summary>The places outside a shape.</summary>
    public SpatialArea Disjoint(string wkt) => Shape("spatial.disjoint", wkt);

    private SpatialArea Circle(string function, double radius, double latitude, double longitude, DistanceUnit unit) =>
        new(
            function,
            $"spatial.circle({Number(_plan, radius)}, {Number(_plan, latitude)}, {Number(_plan, longitude)}{(unit == DistanceUnit.Miles ? ", 'miles'" : "")})"
        );

    private SpatialArea Shape(string function, string wkt)
    {
        ArgumentException.ThrowIfNullOrEmpty(wkt);
        return new SpatialArea(function, $"spatial.wkt({_plan.Add(json => json.WriteStringValue(wkt))})");
    }

    /// <summary>Adds a number as a parameter.</summary>
    internal static string Number(QueryPlan plan, double number) =>
        double.IsFinite(number)
            ? plan.Add(json => json.WriteRawValue(number.ToString("R", CultureInfo.InvariantCulture)))
            : throw new ArgumentOutOfRangeException(nameof(number), number, "a place has finite numbers");
}

/// <summary>An area, and how places relate to it.</summary>
public sealed class SpatialArea
{
    private readonly string _function,
        _shape;

    internal SpatialArea(string function, string shape) => (_function, _shape) = (function, shape);

    /// <summary>The condition as the query language writes it.</summary>
    internal string Condition(string place) => $"{_function}({place}, {_shape})";
}

/// <summary>A unit of length.</summary>
public enum DistanceUnit
{
    /// <summary>1,000 metres.</summary>
    Kilometers,

    /// <summary>1,609.344 metres.</summary>
    Miles,
}
