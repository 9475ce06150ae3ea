using System.Globalization;
using System.Text.Json;
using Spectre.Console;

namespace Pipeline.Worker.Terminal;

/// <summary>
/// Draws a query's results: a row per result and as many columns as fit; then totals, and plan and explanations on
/// request.
/// </summary>
internal static class QueryTable
{
    private const int MaxColumns = 12;
    private const int MaxCell = 60;

    /// <summary>Writes the results.</summary>
    public static void Write(JsonElement answer, WorkerConsole console)
    {
        var results = answer.GetProperty("Results").EnumerateArray().ToList();
        if (results.Count > 0)
            SummaryTable.ConsoleFor(console.Out, console.IsOutputTerminal).Write(Draw(results));
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

    private static Table Draw(List<JsonElement> results)
    {
        var columns = new List<string>();
        foreach (
            var name in results
                .Where(r => r.ValueKind == JsonValueKind.Object)
                .SelectMany(r => r.EnumerateObject())
                .Select(p => p.Name)
        )
        {
            if (name != "@metadata" && columns.Count < MaxColumns && !columns.Contains(name))
                columns.Add(name);
        }
        var table = new Table().Border(TableBorder.Rounded);
        table.AddColumn("id");
        foreach (var column in columns)
            table.AddColumn(new TableColumn(new Text(column)));
        foreach (var result in results)
        {
            table.AddRow([
                new Text(Id(result)),
                .. columns.Select(c => new Text(
                    result.ValueKind == JsonValueKind.Object && result.TryGetProperty(c, out var value)
                        ? Cell(value)
                        : ""
                )),
            ]);
        }

        return table;
    }

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
        text = string.Concat(text.Select(c => char.IsControl(c) ? ' ' : c));
        return text.Length <= MaxCell ? text : string.Concat(text.AsSpan(0, MaxCell - 1), "…");
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
