using System.Globalization;

namespace Pipeline.Runner;

/// <summary>The results of a run as plain text.</summary>
internal static class SummaryText
{
    /// <summary>The tasks as columns, then <see cref="Closing"/>.</summary>
    public static string Of(RunSummary summary)
    {
        string[] headings = ["task", "state", "documents", "messages", "dead letters", "position", "time"];
        var rows = summary
            .Tasks.Select(t =>
                (string[])
                    [
                        t.Name,
                        t.State,
                        Number(t.Documents),
                        Number(t.Messages),
                        Number(t.DeadLetters),
                        t.Place,
                        Seconds(t.Elapsed),
                    ]
            )
            .Prepend(headings)
            .ToList();
        var widths = headings.Select((_, column) => rows.Max(r => r[column].Length)).ToArray();
        // Words begin at the left, numbers end at the right.
        var lines = rows.Select(r =>
            string.Join("  ", r.Select((cell, i) => i < 2 ? cell.PadRight(widths[i]) : cell.PadLeft(widths[i])))
        );
        return string.Concat((summary.Tasks.Count == 0 ? ["no tasks"] : lines).Concat(Closing(summary)).Select(Line));

        static string Line(string text) => text + Environment.NewLine;
    }

    /// <summary>What follows the tasks: one line about the database, and one for each problem.</summary>
    public static IEnumerable<string> Closing(RunSummary summary)
    {
        yield return string.Create(
            CultureInfo.InvariantCulture,
            $"{summary.Documents:N0} documents{DeadLetters(summary)} in '{summary.Database}'{Imported(summary)}, position {Math.Max(summary.Position, summary.LastPosition):N0}, {Seconds(summary.Elapsed)}"
        );
        if (summary.TimedOut)
            yield return "the timeout (--timeout) expired before everything was sent; the next run continues";
        foreach (var task in summary.Tasks.Where(t => t.Problem is not null))
            yield return $"{task.Name} {task.State}: {task.Problem}";
    }

    /// <summary>A time for people.</summary>
    public static string Seconds(TimeSpan time) =>
        time.TotalMinutes < 2
            ? string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.00} s")
            : string.Create(
                CultureInfo.InvariantCulture,
                $"{(long)time.TotalHours}:{time.Minutes:00}:{time.Seconds:00}"
            );

    private static string Number(long number) => number.ToString("N0", CultureInfo.InvariantCulture);

    private static string DeadLetters(RunSummary summary) =>
        summary.DeadLetters == 0
            ? ""
            : string.Create(
                CultureInfo.InvariantCulture,
                $" and {summary.DeadLetters:N0} dead {(summary.DeadLetters == 1 ? "letter" : "letters")}"
            );

    private static string Imported(RunSummary summary) =>
        summary.Imported == 0
            ? ""
            : string.Create(CultureInfo.InvariantCulture, $" ({summary.Imported:N0} imported now)");
}
