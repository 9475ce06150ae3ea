using System.Globalization;
using Pipeline.Configuration.Testing;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary>Formats test results for people.</summary>
internal static class TestText
{
    private const string Red = "\u001b[31m";
    private const string Green = "\u001b[32m";
    private const string Plain = "\u001b[0m";

    /// <summary>Writes failures with their differences, a line per task, and a total.</summary>
    /// <param name="report">The results.</param>
    /// <param name="output">The target.</param>
    /// <param name="isTerminal">Whether to use colours.</param>
    public static async Task WriteAsync(TestReport report, TextWriter output, bool isTerminal)
    {
        foreach (var task in report.Tasks)
        {
            foreach (var test in task.Cases.Where(c => !c.Passed))
            {
                await output
                    .WriteLineAsync(
                        Printable.Of($"{test.File}:{test.Line}:{test.Column}: {task.Task}: {test.Name}: FAILED")
                    )
                    .ConfigureAwait(false);
                if (
                    test.Failure.Any(l =>
                        l.StartsWith("- ", StringComparison.Ordinal) || l.StartsWith("+ ", StringComparison.Ordinal)
                    )
                )
                {
                    await output.WriteLineAsync("    - expected, + sent").ConfigureAwait(false);
                }

                foreach (var line in test.Failure)
                {
                    await output
                        .WriteLineAsync("    " + Coloured(Printable.Of(line), isTerminal))
                        .ConfigureAwait(false);
                }
            }

            var failed = task.Cases.Count(c => !c.Passed);
            var coverage = task.HasCoverage
                ? Run(task.CoveredLines, task.Lines, task.Coverage, task.UncoveredLines)
                : "its lines are not measured, because it is JavaScript";
            await output
                .WriteLineAsync(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{task.Task}: {task.Cases.Count - failed} passed, {failed} failed; "
                    ) + coverage
                )
                .ConfigureAwait(false);
        }

        foreach (var helper in report.Helpers)
        {
            await output
                .WriteLineAsync(
                    $"helper {Printable.Of(helper.Helper)}: {Run(helper.CoveredLines, helper.Lines, helper.Coverage, helper.UncoveredLines)}"
                )
                .ConfigureAwait(false);
        }

        var open =
            report.NotMeasured.Count == 0 ? "" : $", those of {string.Join(", ", report.NotMeasured)} not measured";
        await output
            .WriteLineAsync(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{report.Cases - report.Failed} passed, {report.Failed} failed; "
                )
                    + (
                        report.Coverage is { } all
                            ? string.Create(
                                CultureInfo.InvariantCulture,
                                $"{all:0.#} % of all {(open.Length == 0 ? "" : "other ")}lines run{open}"
                            )
                            : "no lines are measured"
                    )
            )
            .ConfigureAwait(false);
    }

    private static string Run(int covered, int lines, double coverage, IReadOnlyList<int> uncovered) =>
        string.Create(CultureInfo.InvariantCulture, $"{covered} of {lines} lines run ({coverage:0.#} %)")
        + (uncovered.Count == 0 ? "" : ", not: " + Ranges(uncovered));

    private static string Coloured(string line, bool isTerminal) =>
        !isTerminal || line.Length == 0
            ? line
            : line[0] switch
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
