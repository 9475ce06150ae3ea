using System.Globalization;
using System.Text.Json;
using Pipeline.Hosting;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Pipeline.Worker.Terminal;

/// <summary>Draws the results of tasks: as a table for people and as JSON for programs.</summary>
public static class SummaryTable
{
    /// <summary>
    /// Writes one row per task and a closing line; without colours or a fixed width if <paramref name="isTerminal"/> is
    /// false.
    /// </summary>
    public static void Write(RunSummary summary, TextWriter output, bool isTerminal)
    {
        var console = ConsoleFor(output, isTerminal);
        console.Write(Draw(summary.Tasks));
        foreach (var line in SummaryText.Closing(summary))
            output.WriteLine(line);
    }

    /// <summary>The summary as indented JSON, camelCase, times in seconds.</summary>
    public static string ToJson(RunSummary summary)
    {
        var value = new
        {
            summary.Database,
            summary.Position,
            summary.LastPosition,
            summary.Documents,
            summary.DeadLetters,
            summary.Imported,
            Seconds = Math.Round(summary.Elapsed.TotalSeconds, 3),
            summary.Succeeded,
            summary.TimedOut,
            Tasks = summary.Tasks.Select(t => new
            {
                t.Name,
                t.State,
                t.Documents,
                t.Messages,
                t.DeadLetters,
                t.Retried,
                t.FailedAgain,
                t.Skipped,
                t.Position,
                Seconds = Math.Round(t.Elapsed.TotalSeconds, 3),
                t.Problem,
            }),
        };
        return JsonSerializer.Serialize(value, JsonForms.Indented);
    }

    /// <summary>The table of tasks, both during a run and at its end.</summary>
    internal static IRenderable Draw(IReadOnlyList<TaskReport> tasks)
    {
        if (tasks.Count == 0)
            return new Text("no tasks" + Environment.NewLine);
        var table = new Table().Border(TableBorder.Rounded);
        table.AddColumn("task");
        table.AddColumn("state");
        // Columns that are rarely needed appear only when needed.
        var (hasRetries, hasSkipped) = (tasks.Any(t => t.Retried + t.FailedAgain > 0), tasks.Any(t => t.Skipped > 0));
        string[] headings =
        [
            "documents",
            "messages",
            "dead letters",
            .. hasRetries ? (string[])["retried", "failed again"] : [],
            .. hasSkipped ? (string[])["skipped"] : [],
            "position",
            "time",
        ];
        foreach (var heading in headings)
            table.AddColumn(new TableColumn(heading).RightAligned());
        foreach (var task in tasks)
        {
            List<IRenderable> cells =
            [
                new Text(task.Name),
                new Text(task.State, StyleOf(task.State)),
                Count(task.Documents),
                Count(task.Messages),
                Failures(task.DeadLetters),
            ];
            if (hasRetries)
                cells.AddRange([Count(task.Retried), Failures(task.FailedAgain)]);
            if (hasSkipped)
                cells.Add(Failures(task.Skipped));
            table.AddRow([.. cells, new Text(task.Place), new Text(SummaryText.Seconds(task.Elapsed))]);
        }
        return table;
    }

    /// <summary>Creates a Spectre console on a writer.</summary>
    internal static IAnsiConsole ConsoleFor(TextWriter output, bool isTerminal)
    {
        // On Windows, the detection also switches the console's mode; elsewhere the caller has detected the terminal.
        var isAsked = OperatingSystem.IsWindows();
        var console = AnsiConsole.Create(
            new AnsiConsoleSettings
            {
                Ansi =
                    !isTerminal ? AnsiSupport.No
                    : isAsked ? AnsiSupport.Detect
                    : AnsiSupport.Yes,
                ColorSystem = isTerminal ? ColorSystemSupport.Detect : ColorSystemSupport.NoColors,
                Interactive =
                    !isTerminal ? InteractionSupport.No
                    : isAsked ? InteractionSupport.Detect
                    : InteractionSupport.Yes,
                Out = new AnsiConsoleOutput(output),
            }
        );
        if (!isTerminal)
            console.Profile.Width = 140;
        return console;
    }

    private static Text Count(long number, Style? style = null) =>
        new(number.ToString("N0", CultureInfo.InvariantCulture), style);

    private static Text Failures(long number) => Count(number, number == 0 ? null : new Style(Color.Yellow));

    private static Style StyleOf(string state) =>
        state switch
        {
            "failed" or "blocked" => new Style(Color.Red),
            "waiting" => new Style(Color.Yellow),
            _ => new Style(Color.Green),
        };
}
