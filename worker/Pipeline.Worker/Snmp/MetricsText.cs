using System.Globalization;

namespace Pipeline.Worker.Snmp;

/// <summary>Metrics in Prometheus' text format, as the worker's <c>/metrics</c> answers them.</summary>
internal sealed class MetricsText
{
    private readonly ILookup<string, (string Labels, double Value)> _samples;

    private MetricsText(IEnumerable<(string Name, string Labels, double Value)> samples) =>
        _samples = samples.ToLookup(s => s.Name, s => (s.Labels, s.Value), StringComparer.Ordinal);

    /// <summary>Reads the samples. Lines that are none are skipped.</summary>
    public static MetricsText Parse(string text) => new(Read(text));

    /// <summary>The sum of a metric's samples; 0 if it has none yet.</summary>
    /// <param name="name">The metric.</param>
    /// <param name="label">Counts only samples whose labels contain this.</param>
    public double Sum(string name, string label = "") =>
        _samples[name].Where(s => s.Labels.Contains(label, StringComparison.Ordinal)).Sum(s => s.Value);

    /// <summary>The highest of a metric's samples; 0 if it has none yet.</summary>
    public double Most(string name) => _samples[name].Select(s => s.Value).DefaultIfEmpty().Max();

    /// <summary>The lowest of a metric's samples; <see langword="null"/> if it has none.</summary>
    public double? Least(string name) => _samples[name].Select(s => (double?)s.Value).Min();

    /// <summary>A label of a metric's first sample; <see langword="null"/> if there is none.</summary>
    public string? Label(string name, string label)
    {
        var labels = _samples[name].Select(s => s.Labels).FirstOrDefault() ?? "";
        var begin = labels.IndexOf(label + "=\"", StringComparison.Ordinal);
        if (begin < 0)
            return null;
        begin += label.Length + 2;
        var end = labels.IndexOf('"', begin);
        return end < 0 ? null : labels[begin..end];
    }

    private static IEnumerable<(string Name, string Labels, double Value)> Read(string text)
    {
        foreach (var line in text.Split('\n'))
        {
            var last = line.LastIndexOf(' ');
            if (
                last <= 0
                || line[0] == '#'
                || !double.TryParse(line.AsSpan(last + 1), CultureInfo.InvariantCulture, out var value)
                || !double.IsFinite(value)
            )
            {
                continue;
            }

            var open = line.IndexOf('{');
            yield return open < 0 ? (line[..last], "", value) : (line[..open], line[open..last], value);
        }
    }
}
