using System.Globalization;
using System.Text.Json;
using Spectre.Console;

namespace Pipeline.Worker.Terminal;

/// <summary>
/// Draws a query's results: a line per result with as many columns as fit, long values truncated; then totals, and plan
/// and explanations on request.
/// </summary>
internal static class QueryTable
{
    private const int MaxColumns = 12;
    private const int MaxCell = 60;

    /// <summary>A column that has less than this is left out.</summary>
    private const int MinCell = 8;

    /// <summary>Writes the results.</summary>
    public static void Write(JsonElement answer, WorkerConsole console)
    {
        var results = answer.GetProperty("Results").EnumerateArray().ToList();
        if (results.Count > 0)
        {
            var screen = SummaryTable.ConsoleFor(console.Out, console.IsOutputTerminal);
            var (table, leftOut) = Draw(results, screen.Profile.Width);
            screen.Write(table);
            if (leftOut > 0)
                console.Out.WriteLine($"{leftOut} more {(leftOut == 1 ? "field" : "fields")}: --json shows all");
        }
        console.Out.WriteLine(Totals(answer, results.Count));
        if (answer.TryGetProperty("Highlightings", out var highlights))
        {
            foreach (var field in highlights.EnumerateObject())
            {
                foreach (var document in field.Value.EnumerateObject())
                {
                    console.Out.WriteLine(
                        $"{document.Name} {field.Name}: {string.Join(" … ", document.Value.EnumerateArray().Select(f => f.GetString()))}"
                    );
                }
            }
        }
        if (answer.TryGetProperty("Explanations", out var explanations))
        {
            foreach (var document in explanations.EnumerateObject())
            {
                console.Out.WriteLine(
                    $"{document.Name}:\n{string.Concat(document.Value.EnumerateArray().Select(e => e.GetString()))}"
                );
            }
        }
        if (answer.TryGetProperty("Plan", out var plan))
            WritePlan(plan, 0, console.Out);
    }

    /// <summary>The table of results, at most as wide as the terminal, and how many fields have no column.</summary>
    internal static (Table Table, int LeftOut) Draw(IReadOnlyList<JsonElement> results, int width)
    {
        var names = results
            .Where(r => r.ValueKind == JsonValueKind.Object)
            .SelectMany(r => r.EnumerateObject())
            .Select(p => p.Name)
            .Where(n => n != "@metadata")
            .Distinct(StringComparer.Ordinal)
            .ToList();
        // A column takes its text, two spaces and a border; the table has one border more.
        var fitting = Math.Max(2, (width - 1) / (MinCell + 3)) - 1;
        var shown = names.Take(Math.Min(MaxColumns, fitting)).ToList();
        List<string[]> rows =
        [
            ["id", .. shown],
        ];
        foreach (var result in results)
        {
            rows.Add([
                Id(result),
                .. shown.Select(c =>
                    result.ValueKind == JsonValueKind.Object && result.TryGetProperty(c, out var value)
                        ? Cell(value)
                        : ""
                ),
            ]);
        }
        var widths = Enumerable.Range(0, shown.Count + 1).Select(i => rows.Max(r => r[i].Length)).ToArray();
        var most = Most(widths, width - 1 - (3 * widths.Length));
        var table = new Table().Border(TableBorder.Rounded);
        foreach (var heading in rows[0])
            table.AddColumn(new TableColumn(new Text(Truncate(heading, most))));
        foreach (var row in rows.Skip(1))
            table.AddRow(row.Select(cell => new Text(Truncate(cell, most))));
        return (table, names.Count - shown.Count);
    }

    /// <summary>The greatest length to which columns are cut so that all fit.</summary>
    private static int Most(int[] widths, int available)
    {
        var most = MaxCell;
        while (most > MinCell && widths.Sum(w => Math.Min(w, most)) > available)
            most--;
        return most;
    }

    private static string Truncate(string text, int most) =>
        text.Length <= most ? text : string.Concat(text.AsSpan(0, most - 1), "…");

    private static string Id(JsonElement result) =>
        result.ValueKind == JsonValueKind.Object
        && result.TryGetProperty("@metadata", out var metadata)
        && metadata.TryGetProperty("@id", out var id)
            ? id.GetString() ?? ""
            : "";

    private static string Cell(JsonElement value)
    {
        var text = value.ValueKind switch
        {
            JsonValueKind.String => value.GetString()!,
            JsonValueKind.Null => "",
            _ => value.GetRawText(),
        };
        return string.Concat(text.Select(c => char.IsControl(c) ? ' ' : c));
    }

    private static string Totals(JsonElement answer, int shown)
    {
        var total = answer.GetProperty("TotalResults").GetInt64();
        var stale = answer.GetProperty("IsStale").GetBoolean();
        var lag = answer.GetProperty("Lag").GetInt64();
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{(shown == total ? $"{total:N0}" : $"{shown:N0} of {total:N0}")} {(total == 1 ? "result" : "results")} from {answer.GetProperty("IndexName").GetString()}, {answer.GetProperty("DurationInMs").GetInt64():N0} ms{(stale ? $"; the index is {lag:N0} {(lag == 1 ? "change" : "changes")} behind (--wait waits for it)" : "")}"
        );
    }

    private static void WritePlan(JsonElement node, int depth, TextWriter output)
    {
        var actual = node.TryGetProperty("Actual", out var count)
            ? string.Create(CultureInfo.InvariantCulture, $", actual {count.GetInt64():N0}")
            : "";
        var time = node.TryGetProperty("DurationInMs", out var elapsed)
            ? string.Create(CultureInfo.InvariantCulture, $", {elapsed.GetDouble():N3} ms")
            : "";
        output.WriteLine(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{new string(' ', depth * 2)}{node.GetProperty("Operation").GetString()} {node.GetProperty("Detail").GetString()} (estimated {node.GetProperty("Estimated").GetInt64():N0}{actual}{time})"
            )
        );
        foreach (var step in node.GetProperty("Steps").EnumerateArray())
            WritePlan(step, depth + 1, output);
    }
}
