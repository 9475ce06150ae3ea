using System.Text;

namespace Pipeline.Hosting.Metrics;

/// <summary>Converts OpenTelemetry instrument names, units and attribute names to Prometheus names.</summary>
/// <remarks>
/// Source: OpenTelemetry specification 1.4x, "Prometheus and OpenMetrics Compatibility", sections on metric metadata
/// and attributes.
/// </remarks>
internal static class MetricName
{
    private static readonly Dictionary<string, string> Units = new(StringComparer.Ordinal)
    {
        ["d"] = "days",
        ["h"] = "hours",
        ["min"] = "minutes",
        ["s"] = "seconds",
        ["ms"] = "milliseconds",
        ["us"] = "microseconds",
        ["ns"] = "nanoseconds",
        ["By"] = "bytes",
        ["KiBy"] = "kibibytes",
        ["MiBy"] = "mebibytes",
        ["GiBy"] = "gibibytes",
        ["KBy"] = "kilobytes",
        ["MBy"] = "megabytes",
        ["GBy"] = "gigabytes",
        ["m"] = "meters",
        ["V"] = "volts",
        ["A"] = "amperes",
        ["J"] = "joules",
        ["W"] = "watts",
        ["g"] = "grams",
        ["Cel"] = "celsius",
        ["Hz"] = "hertz",
        ["%"] = "percent",
    };

    private static readonly Dictionary<string, string> PerUnits = new(StringComparer.Ordinal)
    {
        ["s"] = "second",
        ["m"] = "minute",
        ["min"] = "minute",
        ["h"] = "hour",
        ["d"] = "day",
        ["w"] = "week",
        ["mo"] = "month",
        ["y"] = "year",
    };

    /// <summary>
    /// The Prometheus family name of an instrument: cleaned name, unit, and <c>_total</c> for a counter.
    /// </summary>
    public static string ForInstrument(string name, string? unit, MetricKind kind)
    {
        var result = Clean(name, allowColon: true);
        var suffix = UnitSuffix(unit, kind);
        var isCounter = kind == MetricKind.Counter;
        if (isCounter && result.EndsWith("_total", StringComparison.Ordinal))
            result = result[..^"_total".Length];
        // Prometheus reserves this suffix for the number of a histogram's values.
        if (kind == MetricKind.Gauge && EndsWithWord(result, "count") && result.Length > "_count".Length)
            result = result[..^"_count".Length];
        if (suffix.Length > 0 && !EndsWithWord(result, suffix))
            result = result + "_" + suffix;
        return isCounter ? result + "_total" : result;
    }

    /// <summary>The Prometheus label name of an attribute.</summary>
    public static string ForLabel(string attribute) => Clean(attribute, allowColon: false);

    private static bool EndsWithWord(string name, string suffix) =>
        name.EndsWith(suffix, StringComparison.Ordinal)
        && (name.Length == suffix.Length || name[name.Length - suffix.Length - 1] == '_');

    private static string UnitSuffix(string? unit, MetricKind kind)
    {
        if (string.IsNullOrEmpty(unit))
            return "";
        if (unit == "1")
            return kind == MetricKind.Gauge ? "ratio" : "";
        var bare = WithoutAnnotations(unit);
        if (bare.Length == 0)
            return "";
        var slash = bare.IndexOf('/', StringComparison.Ordinal);
        if (slash < 0)
            return Word(Units, bare);
        var above = Word(Units, bare[..slash]);
        var below = Word(PerUnits, bare[(slash + 1)..]);
        if (below.Length == 0)
            return above;
        return above.Length == 0 ? "per_" + below : above + "_per_" + below;
    }

    private static string Word(Dictionary<string, string> words, string unit) =>
        unit.Length == 0 ? "" : Clean(words.GetValueOrDefault(unit, unit), allowColon: false).Trim('_');

    private static string WithoutAnnotations(string unit)
    {
        var result = new StringBuilder(unit.Length);
        var depth = 0;
        foreach (var c in unit)
        {
            if (c == '{')
                depth++;
            else if (c == '}')
                depth = Math.Max(0, depth - 1);
            else if (depth == 0)
                result.Append(c);
        }
        return result.ToString();
    }

    private static string Clean(string name, bool allowColon)
    {
        var result = new StringBuilder(name.Length + 1);
        foreach (var c in name)
        {
            var valid = char.IsAsciiLetterOrDigit(c) || c == '_' || (allowColon && c == ':');
            if (result.Length == 0 && char.IsAsciiDigit(c))
                result.Append('_');
            if (valid && c != '_')
                result.Append(c);
            else if (result.Length == 0 || result[^1] != '_')
                result.Append('_');
        }
        return result.Length == 0 ? "_" : result.ToString();
    }
}
