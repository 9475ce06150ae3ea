using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Hosting.Queries;
using Pipeline.Worker.Terminal;
using Spectre.Console;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// <c>pipeline indexes</c>: state, entries, lag and errors of the indexes; <c>--batches</c> adds their last batches.
/// </summary>
internal sealed class IndexesCommand : WorkerCommand
{
    private readonly Option<bool> _json = new("--json") { Description = "Print it as JSON, batches included." };
    private readonly Option<bool> _batches = new("--batches")
    {
        Description = "Show each index's last batches: documents, time for each step, bytes.",
    };
    private readonly IndexAccess _source;

    public IndexesCommand(CommonOptions common)
        : base("indexes", "Show the indexes: state, entries, lag, errors.")
    {
        Add(_json);
        Add(_batches);
        _source = new IndexAccess(this, common);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var indexes = await _source.ListAsync(run, cancellationToken).ConfigureAwait(false);
        if (run.Parsed.GetValue(_json))
        {
            await run
                .Console.Out.WriteLineAsync(
                    JsonSerializer.Serialize(indexes, JsonForms.Indented).AsMemory(),
                    cancellationToken
                )
                .ConfigureAwait(false);
        }
        else
        {
            Draw(indexes, run.Console, run.Parsed.GetValue(_batches));
        }

        return ExitCodes.Success;
    }

    private static void Draw(IReadOnlyList<IndexView> indexes, WorkerConsole console, bool batches)
    {
        if (indexes.Count == 0)
        {
            console.Out.WriteLine("no indexes");
            return;
        }
        var ansi = SummaryTable.ConsoleFor(console.Out, console.IsOutputTerminal);
        ansi.Write(
            Table(
                ["index", "state"],
                ["entries", "behind", "behind s", "errors"],
                indexes.Select(i =>
                    (
                        new[]
                        {
                            i.Name,
                            i.ReplacementPosition is null ? i.State : i.State + ", another version is built",
                        },
                        new[]
                        {
                            Number(i.Entries),
                            Number(i.Lag),
                            i.LagSeconds.ToString("N1", CultureInfo.InvariantCulture),
                            Number(i.Errors),
                        }
                    )
                )
            )
        );
        foreach (var index in indexes.Where(i => i.Failure is not null))
            console.Out.WriteLine($"{index.Name}: {index.Failure}");
        foreach (var index in batches ? indexes.Where(i => i.Batches.Count > 0) : [])
        {
            console.Out.WriteLine(index.Name);
            ansi.Write(
                Table(
                    ["began"],
                    ["documents", "entries", "errors", "KiB", "map ms", "reduce ms", "commit ms", "waited ms"],
                    index.Batches.Select(b =>
                        (
                            new[] { b.Started.ToString("u", CultureInfo.InvariantCulture) },
                            new[]
                            {
                                Number(b.Documents),
                                Number(b.Entries),
                                Number(b.Errors),
                                Number(b.DocumentBytes / 1024),
                                Milliseconds(b.MapSeconds),
                                Milliseconds(b.ReduceSeconds),
                                Milliseconds(b.CommitSeconds),
                                Milliseconds(b.ThrottledSeconds),
                            }
                        )
                    )
                )
            );
        }
    }

    private static Table Table(string[] texts, string[] numbers, IEnumerable<(string[] Texts, string[] Numbers)> rows)
    {
        var table = new Table().Border(TableBorder.Rounded);
        foreach (var heading in texts)
            table.AddColumn(heading);
        foreach (var heading in numbers)
            table.AddColumn(new TableColumn(heading).RightAligned());
        foreach (var row in rows)
            table.AddRow([.. row.Texts.Concat(row.Numbers).Select(c => new Text(c))]);
        return table;
    }

    private static string Number(long value) => value.ToString("N0", CultureInfo.InvariantCulture);

    private static string Milliseconds(double seconds) => (seconds * 1000).ToString("N1", CultureInfo.InvariantCulture);
}
