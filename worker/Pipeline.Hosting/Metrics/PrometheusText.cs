using System.Globalization;
using System.Text;

namespace Pipeline.Hosting.Metrics;

/// <summary>Writes metric families in the Prometheus text exposition format, version 0.0.4.</summary>
/// <remarks>
/// Source: prometheus.io, "Exposition formats". Escaping: <c>\</c> and line feed in help texts, also <c>"</c> in label
/// values.
/// </remarks>
internal static class PrometheusText
{
    /// <summary>The media type of the output of <see cref="Write"/>.</summary>
    public const string ContentType = "text/plain; version=0.0.4; charset=utf-8";

    /// <summary>Writes the families and <c>target_info</c>.</summary>
    public static string Write(IEnumerable<MetricFamily> families, IEnumerable<KeyValuePair<string, object?>> resource)
    {
        var text = new StringBuilder(16 * 1024);
        foreach (var family in families)
            WriteFamily(text, family);
        text.Append("# HELP target_info What produces these metrics.\n# TYPE target_info gauge\n");
        WriteSample(text, "target_info", "", Labels([.. resource], meter: null), extra: null, 1);
        return text.ToString();
    }

    private static void WriteFamily(StringBuilder text, MetricFamily family)
    {
        text.Append("# HELP ").Append(family.Name).Append(' ');
        Escape(text, family.Help, quotes: false);
        var type = family.Kind switch
        {
            MetricKind.Counter => "counter",
            MetricKind.Histogram => "histogram",
            _ => "gauge",
        };
        text.Append("\n# TYPE ").Append(family.Name).Append(' ').Append(type).Append('\n');

        var seen = new HashSet<string>(StringComparer.Ordinal);
        var series = family
            .Points.Select(p => (Labels: Labels(p.Point.Tags, p.Meter), p.Point))
            .OrderBy(p => p.Labels, StringComparer.Ordinal);
        foreach (var (labels, point) in series)
        {
            if (!seen.Add(labels))
                continue;
            if (family.Kind == MetricKind.Histogram)
                WriteHistogram(text, family.Name, labels, point);
            else
                WriteSample(text, family.Name, "", labels, extra: null, point.Value);
        }
    }

    private static void WriteHistogram(StringBuilder text, string name, string labels, MetricPoint point)
    {
        long total = 0;
        for (var i = 0; i < point.Bounds.Length; i++)
        {
            total += point.BucketCounts[i];
            WriteSample(text, name, "_bucket", labels, "le=\"" + Number(point.Bounds[i]) + "\"", total);
        }
        WriteSample(text, name, "_bucket", labels, "le=\"+Inf\"", point.Count);
        WriteSample(text, name, "_sum", labels, extra: null, point.Value);
        WriteSample(text, name, "_count", labels, extra: null, point.Count);
    }

    private static void WriteSample(
        StringBuilder text,
        string name,
        string suffix,
        string labels,
        string? extra,
        double value
    )
    {
        text.Append(name).Append(suffix);
        if (labels.Length > 0 || extra is not null)
        {
            text.Append('{').Append(labels);
            if (extra is not null)
                text.Append(labels.Length > 0 ? "," : "").Append(extra);
            text.Append('}');
        }
        text.Append(' ').Append(Number(value)).Append('\n');
    }

    /// <summary>
    /// The labels sorted by name, with the meter as <c>otel_scope_name</c>; attributes with the same cleaned name are
    /// joined by <c>;</c>.
    /// </summary>
    private static string Labels(KeyValuePair<string, object?>[] tags, string? meter)
    {
        var all = tags.Select(t => (Name: MetricName.ForLabel(t.Key), Key: t.Key, Value: Text(t.Value)));
        if (meter is not null)
            all = all.Append(("otel_scope_name", "otel_scope_name", meter));
        var text = new StringBuilder();
        foreach (
            var label in all.OrderBy(l => l.Key, StringComparer.Ordinal)
                .GroupBy(l => l.Name, StringComparer.Ordinal)
                .OrderBy(g => g.Key, StringComparer.Ordinal)
        )
        {
            if (text.Length > 0)
                text.Append(',');
            text.Append(label.Key).Append("=\"");
            Escape(text, string.Join(';', label.Select(l => l.Value)), quotes: true);
            text.Append('"');
        }
        return text.ToString();
    }

    private static void Escape(StringBuilder text, string value, bool quotes)
    {
        foreach (var c in value)
        {
            if (c == '\\')
                text.Append("\\\\");
            else if (c == '\n')
                text.Append("\\n");
            else if (c == '"' && quotes)
                text.Append("\\\"");
            else
                text.Append(c);
        }
    }

    private static string Text(object? value) =>
        value switch
        {
            null => "",
            bool b => b ? "true" : "false",
            _ => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "",
        };

    private static string Number(double value) =>
        double.IsPositiveInfinity(value) ? "+Inf"
        : double.IsNegativeInfinity(value) ? "-Inf"
        : double.IsNaN(value) ? "NaN"
        : value.ToString("R", CultureInfo.InvariantCulture);
}
