using System.Globalization;
using Pipeline.Hosting.Tasks;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Pipeline.Worker.Terminal;

/// <summary>Draws a worker's tasks: a row per task, and their problems below the table.</summary>
internal static class TopTable
{
    /// <summary>The least width in characters for all columns; a narrower table has the most important ones.</summary>
    private const int WholeWidth = 140;

    /// <summary>Draws the table.</summary>
    /// <param name="tasks">The current tasks.</param>
    /// <param name="before">
    /// The tasks as last drawn, for times since then; <see langword="null"/> for times since the start.
    /// </param>
    /// <param name="width">Characters of a line.</param>
    public static IRenderable Draw(IReadOnlyList<TaskView> tasks, IReadOnlyList<TaskView>? before, int width)
    {
        var isWhole = width >= WholeWidth;
        var table = new Table().Border(TableBorder.Rounded);
        table.AddColumn("task");
        if (isWhole)
            table.AddColumn("to");
        table.AddColumn(new TableColumn("state").NoWrap());
        string[] numbers = isWhole
            ?
            [
                "lag",
                "waits",
                "docs/s",
                "msgs/s",
                "sent",
                "a batch",
                "read %",
                "run %",
                "send %",
                "retries",
                "dead",
                "errors",
            ]
            : ["lag", "waits", "msgs/s", "dead"];
        foreach (var number in numbers)
            table.AddColumn(new TableColumn(number).RightAligned().NoWrap());

        foreach (var task in tasks)
        {
            var last = before?.FirstOrDefault(t => t.Name == task.Name);
            var (read, transform, send) = (
                task.Times.Extract - (last?.Times.Extract ?? 0),
                task.Times.Transform - (last?.Times.Transform ?? 0),
                task.Times.Send - (last?.Times.Send ?? 0)
            );
            var all = read + transform + send;
            if (!isWhole)
            {
                table.AddRow(
                    new Text(task.Name) { Overflow = Overflow.Ellipsis },
                    new Text(task.State, Style(task.State)),
                    Number(task.LagSeconds, "0.0 s"),
                    Number(task.Waiting, "N0"),
                    Number(task.MessagesPerSecond, "N0"),
                    Number(task.DeadLetters, "N0")
                );
                continue;
            }
            table.AddRow(
                new Text(task.Name),
                new Text($"{task.Connection} ({task.Kind})"),
                new Text(task.State, Style(task.State)),
                Number(task.LagSeconds, "0.0 s"),
                Number(task.Waiting, "N0"),
                Number(task.DocumentsPerSecond, "N0"),
                Number(task.MessagesPerSecond, "N0"),
                Number(task.Messages, "N0"),
                Number(task.Batches == 0 ? 0 : (double)task.Messages / task.Batches, "N0"),
                Share(read, all),
                Share(transform, all),
                Share(send, all),
                ByClass(task.RetriesByClass),
                Number(task.DeadLetters, "N0"),
                ByClass(task.Errors)
            );
        }
        var rows = new List<IRenderable> { table };
        rows.AddRange(
            tasks.Where(t => t.Problem is not null).Select(t => new Text($"{t.Name}: {t.Problem}", Style(t.State)))
        );
        rows.AddRange(
            tasks
                .Where(t => t.IsResyncing)
                .Select(t => new Text(
                    t.Replay is { } replay
                        ? string.Create(
                            CultureInfo.InvariantCulture,
                            $"{t.Name}: was too far behind, and sends all documents again: {replay.At:N0} of {replay.Through:N0}"
                        )
                        : $"{t.Name}: was too far behind, and sends all documents again once its target accepts messages"
                ))
        );
        return new Rows(rows);
    }

    private static Text Number(double value, string format) =>
        new(value.ToString(format.Replace(" s", " 's'", StringComparison.Ordinal), CultureInfo.InvariantCulture));

    private static Text ByClass(IReadOnlyDictionary<string, long> counts) =>
        new(string.Join(' ', counts.Select(c => string.Create(CultureInfo.InvariantCulture, $"{c.Key} {c.Value:N0}"))));

    private static Text Share(double part, double all) =>
        new(all <= 0 ? "" : (100 * part / all).ToString("0", CultureInfo.InvariantCulture));

    private static Style Style(string state) =>
        state switch
        {
            "failed" or "blocked" => new Style(Color.Red),
            "retrying" => new Style(Color.Yellow),
            "idle" or "running" => new Style(Color.Green),
            _ => Spectre.Console.Style.Plain,
        };
}
