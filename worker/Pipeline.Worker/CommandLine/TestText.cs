using System.Globalization;
using Pipeline.Etl.Testing;

namespace Pipeline.Worker.CommandLine;

/// <summary>Test results for people.</summary>
internal static class TestText
{
    private const string Red = "\u001b[31m";
    private const string Green = "\u001b[32m";
    private const string Plain = "\u001b[0m";

    /// <summary>Writes failures with their differences, a line for each task, and a sum.</summary>
    /// <param name="report">The results.</param>
    /// <param name="output">Where to.</param>
    /// <param name="isTerminal">Whether colours are shown.</param>
    public static async Task WriteAsync(TestReport report, TextWriter output, bool isTerminal)
    {
        foreach (var task in report.Tasks)
        {
            foreach (var test in task.Cases.Where(c => !c.Passed))
            {
                await output.WriteLineAsync($"{test.File}:{test.Line}:{test.Column}: {task.Task}: {test.Name}: FAILED").ConfigureAwait(false);
                if (test.Failure.Any(l => l.StartsWith("- ", StringComparison.Ordinal) || l.StartsWith("+ ", StringComparison.Ordinal)))
                    await output.WriteLineAsync("    - expected, + sent").ConfigureAwait(false);
                foreach (var line in test.Failure)
                    await output.WriteLineAsync("    " + Coloured(line, isTerminal)).ConfigureAwait(false);
            }

            var failed = task.Cases.Count(c => !c.Passed);
            var coverage = task.HasCoverage
                ? string.Create(CultureInfo.InvariantCulture, $"{task.CoveredLines} of {task.Lines} lines run ({task.Coverage:0.#} %)")
                : "lines run: not available for JavaScript";
            await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"{task.Task}: {task.Cases.Count - failed} passed, {failed} failed; ") + coverage
                + (task.UncoveredLines.Count == 0 ? "" : ", not: " + Ranges(task.UncoveredLines))).ConfigureAwait(false);
        }

        await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
            $"{report.Cases - report.Failed} passed, {report.Failed} failed; {report.Coverage:0.#} % of all lines run")).ConfigureAwait(false);
    }

    private static string Coloured(string line, bool isTerminal) => !isTerminal || line.Length == 0 ? line : line[0] switch
    {
        '-' => Red + line + Plain,
        '+' => Green + line + Plain,
        _ => line,
    };

    // 3, 5-7
    private static string Ranges(IReadOnlyList<int> lines)
    {
        var ranges = new List<string>();
        for (var i = 0; i < lines.Count; i++)
        {
            var first = i;
            while (i + 1 < lines.Count && lines[i + 1] == lines[i] + 1)
                i++;
            ranges.Add(first == i ? $"{lines[i]}" : $"{lines[first]}-{lines[i]}");
        }

        return string.Join(", ", ranges);
    }
}
