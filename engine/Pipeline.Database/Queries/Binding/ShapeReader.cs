using System.Globalization;
using System.Text.RegularExpressions;
using NetTopologySuite.Geometries;
using NetTopologySuite.IO;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;

namespace Pipeline.Database.Queries.Binding;

/// <summary>
/// Reads shapes in well-known text (longitude first): points, polygons and collections of them, and beyond the standard
/// <c>CIRCLE(lon lat d=radius)</c>
/// and <c>ENVELOPE(west, east, north, south)</c>.
/// </summary>
internal static partial class ShapeReader
{
    /// <summary>Characters of a shape's text, at most.</summary>
    internal const int MaxLength = 256 * 1024;

    /// <summary>Parentheses within one another in a shape's text, at most.</summary>
    internal const int MaxDepth = 16;

    internal static Shape Read(QueryContext context, CallSyntax wkt, double metersPerUnit)
    {
        var at = wkt.Arguments[0];
        var text = context.Text(at, "the shape");
        try
        {
            if (CircleText().Match(text) is { Success: true } circle)
            {
                return new GeoCircle(
                    Number(circle, 2),
                    Number(circle, 1),
                    Math.Max(Number(circle, 3) * metersPerUnit, QueryBinder.PointTolerance)
                );
            }

            if (EnvelopeText().Match(text) is { Success: true } box)
                return new GeoRectangle(Number(box, 4), Number(box, 1), Number(box, 3), Number(box, 2));
            return Of(context, at, Parse(context, at, text));
        }
        catch (Exception error) when (error is ArgumentException or FormatException and not InvalidQueryException)
        {
            throw context.Parameter(
                at,
                $"the shape is none on the earth: {Clause(error)}",
                "in WKT the longitude stands first"
            );
        }
    }

    internal static (double Latitude, double Longitude) ReadPoint(QueryContext context, CallSyntax wkt)
    {
        var at = wkt.Arguments[0];
        return Parse(context, at, context.Text(at, "the shape")) is Point point
            ? (point.Y, point.X)
            : throw context.NotSupported(at, "only a point can stand here", "write 'POINT(longitude latitude)'");
    }

    private static Geometry Parse(QueryContext context, ExpressionSyntax at, string text)
    {
        if (text.Length > MaxLength)
        {
            throw context.Paths.Error(
                at,
                $"the shape's text has {text.Length} characters, more than {MaxLength}",
                null,
                QueryErrorKind.Limit
            );
        }

        if (Depth(text) > MaxDepth)
        {
            throw context.Paths.Error(
                at,
                $"the shape has more than {MaxDepth} parentheses within one another",
                null,
                QueryErrorKind.Limit
            );
        }

        Geometry? shape;
        try
        {
            shape = new WKTReader().Read(text);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            // The reader's words end with errors of many kinds, such as one about an array where a character is beyond
            // U+00FF.
            throw context.Parameter(
                at,
                $"the text is not a shape in WKT: {Clause(error)}",
                "for instance POLYGON((0 0, 1 0, 1 1, 0 0)), longitude first"
            );
        }

        return shape is { IsEmpty: false } ? shape : throw context.Parameter(at, "the shape is empty");
    }

    private static Shape Of(QueryContext context, ExpressionSyntax at, Geometry geometry) =>
        geometry switch
        {
            Point point => new GeoCircle(point.Y, point.X, QueryBinder.PointTolerance),
            Polygon polygon => new GeoPolygon(Ring(polygon.ExteriorRing), [.. polygon.InteriorRings.Select(Ring)]),
            GeometryCollection many => new GeoUnion([.. many.Geometries.Select(g => Of(context, at, g))]),
            _ => throw context.NotSupported(
                at,
                $"a {geometry.GeometryType} cannot be searched in",
                "points, polygons and collections of them can"
            ),
        };

    private static int Depth(string text)
    {
        int depth = 0,
            deepest = 0;
        foreach (var c in text)
        {
            if (c == '(')
                deepest = Math.Max(deepest, ++depth);
            else if (c == ')')
                depth--;
        }

        return deepest;
    }

    private static GeoRing Ring(LineString line) => new([.. line.Coordinates.Select(c => (c.Y, c.X))]);

    private static double Number(Match match, int group) =>
        double.Parse(match.Groups[group].ValueSpan, NumberStyles.Float, CultureInfo.InvariantCulture);

    private static string Clause(Exception error) => error.Message.Split('\n')[0].TrimEnd('.', '\r');

    [GeneratedRegex(
        @"^\s*CIRCLE\s*\(\s*([-+.\d]+)\s+([-+.\d]+)\s+d\s*=\s*([-+.\d]+)\s*\)\s*$",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant
    )]
    private static partial Regex CircleText();

    [GeneratedRegex(
        @"^\s*ENVELOPE\s*\(\s*([-+.\d]+)\s*,\s*([-+.\d]+)\s*,\s*([-+.\d]+)\s*,\s*([-+.\d]+)\s*\)\s*$",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant
    )]
    private static partial Regex EnvelopeText();
}
