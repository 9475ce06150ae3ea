using System.Globalization;
using System.Text.RegularExpressions;

namespace Pipeline.Database.Indexes;

/// <summary>Reads <c>POINT (longitude latitude)</c>, the one shape that an index holds.</summary>
internal static partial class WktPoint
{
    public static bool TryRead(string wkt, out double latitude, out double longitude)
    {
        var match = Form().Match(wkt);
        latitude = longitude = 0;
        return match.Success
            && double.TryParse(
                match.Groups[1].ValueSpan,
                NumberStyles.Float,
                CultureInfo.InvariantCulture,
                out longitude
            )
            && double.TryParse(
                match.Groups[2].ValueSpan,
                NumberStyles.Float,
                CultureInfo.InvariantCulture,
                out latitude
            );
    }

    [GeneratedRegex(
        @"^\s*POINT\s*\(\s*([-+.0-9eE]+)\s+([-+.0-9eE]+)\s*\)\s*$",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant
    )]
    private static partial Regex Form();
}
