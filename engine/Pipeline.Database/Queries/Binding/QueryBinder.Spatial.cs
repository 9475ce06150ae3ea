using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;

namespace Pipeline.Database.Queries.Binding;

internal sealed partial class QueryBinder
{
    private const double MetersPerKilometer = 1000;
    private const double MetersPerMile = 1609.344;

    /// <summary>Two stored points are the same within this many metres.</summary>
    internal const double PointTolerance = 0.02;

    /// <summary>The field of a place, as a query names it: an existing field, or one made from others.</summary>
    internal QueryField? Place(ExpressionSyntax place)
    {
        var name = place switch
        {
            CallSyntax { Target: null, Name: "spatial.point" } point =>
                $"spatial.point({context.Paths.Of(point.Arguments[0], "the field of the latitude")}, {context.Paths.Of(point.Arguments[1], "the field of the longitude")})",
            CallSyntax { Target: null, Name: "spatial.wkt" } wkt =>
                $"spatial.wkt({context.Paths.Of(wkt.Arguments[0], "the field of the text in WKT")})",
            _ => context.Paths.Of(place, "a spatial field or spatial.point(latitude, longitude)"),
        };
        return context.Field(place, name);
    }

    /// <summary>A point of a query: <c>spatial.point(latitude, longitude)</c>, or a point in WKT.</summary>
    internal (double Latitude, double Longitude) Point(ExpressionSyntax expression) =>
        expression switch
        {
            CallSyntax { Target: null, Name: "spatial.point" } point => Checked(
                expression,
                context.Number(point.Arguments[0], "the latitude"),
                context.Number(point.Arguments[1], "the longitude")
            ),
            CallSyntax { Target: null, Name: "spatial.wkt" } wkt => ShapeReader.ReadPoint(context, wkt),
            _ => throw context.Paths.Error(
                expression,
                $"a point is expected, not {expression}",
                "write spatial.point(latitude, longitude)"
            ),
        };

    /// <summary>How many metres a unit of length has.</summary>
    internal double Meters(ExpressionSyntax? unit) =>
        unit is null
            ? MetersPerKilometer
            : context.Text(unit, "the unit").ToUpperInvariant() switch
            {
                "KILOMETERS" or "KILOMETRES" or "KM" => MetersPerKilometer,
                "MILES" or "MI" => MetersPerMile,
                _ => throw context.Paths.Error(
                    unit,
                    $"{unit} is not a unit of length",
                    "there are 'kilometers' and 'miles'"
                ),
            };

    private Query Spatial(CallSyntax call)
    {
        var shape = Shape(call.Arguments[1], call.Name == "spatial.contains");
        if (Place(call.Arguments[0]) is not { } field)
            return NoneQuery.Instance;
        return new SpatialQuery(
            field.Name,
            shape,
            call.Name switch
            {
                "spatial.disjoint" => SpatialRelation.Disjoint,
                "spatial.intersects" => SpatialRelation.Intersects,
                _ => SpatialRelation.Within,
            }
        );
    }

    private Shape Shape(ExpressionSyntax expression, bool isContained)
    {
        switch (expression)
        {
            case CallSyntax { Target: null, Name: "spatial.point" }:
            case CallSyntax { Target: null, Name: "spatial.wkt" } when isContained:
                (var latitude, var longitude) = Point(expression);
                return new GeoCircle(latitude, longitude, PointTolerance);
            case CallSyntax { Target: null, Name: "spatial.circle" } circle when !isContained:
                var radius =
                    context.Number(circle.Arguments[0], "the radius") * Meters(circle.Arguments.ElementAtOrDefault(3));
                if (!(radius >= 0) || double.IsInfinity(radius))
                    throw context.Parameter(circle.Arguments[0], "the radius is a number from 0");
                (latitude, longitude) = Checked(
                    circle,
                    context.Number(circle.Arguments[1], "the latitude"),
                    context.Number(circle.Arguments[2], "the longitude")
                );
                return new GeoCircle(latitude, longitude, Math.Max(radius, PointTolerance));
            case CallSyntax { Target: null, Name: "spatial.wkt" } wkt:
                return ShapeReader.Read(context, wkt, Meters(wkt.Arguments.ElementAtOrDefault(1)));
            default:
                throw isContained
                    ? context.NotSupported(
                        expression,
                        "an index stores places as points, and a point contains only points",
                        "write spatial.point(latitude, longitude)"
                    )
                    : context.Paths.Error(
                        expression,
                        $"a shape is expected, not {expression}",
                        "write spatial.circle(radius, latitude, longitude) or spatial.wkt('POLYGON((…))')"
                    );
        }
    }

    private (double Latitude, double Longitude) Checked(ExpressionSyntax at, double latitude, double longitude) =>
        latitude is >= -90 and <= 90 && longitude is >= -180 and <= 180
            ? (latitude, longitude)
            : throw context.Parameter(
                at,
                "a latitude is from -90 to 90 degrees, a longitude from -180 to 180",
                "the latitude stands first"
            );
}
