using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Etl.DeadLetters;
using Pipeline.Hosting;
using Pipeline.Worker.Terminal;
using Spectre.Console;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline deadletters list|show|retry|edit|drop</c>.</summary>
internal static class DeadLetterCommands
{
    /// <summary>The commands below <c>deadletters</c>.</summary>
    public static IReadOnlyList<WorkerCommand> All(CommonOptions common) =>
        [new List(common), new Show(common), new Retry(common), new Edit(common), new Drop(common)];

    private sealed class List : WorkerCommand
    {
        private readonly DeadLetterSource _source = new();
        private readonly SelectionOptions _selection = new(takesIds: false);
        private readonly Option<int> _limit = new("--limit")
        {
            Description = "Most dead letters to show.",
            HelpName = "N",
            DefaultValueFactory = _ => 100,
        };
        private readonly Option<bool> _json = new("--json") { Description = "Print JSON." };

        public List(CommonOptions common)
            : base(
                "list",
                "List dead letters, the oldest change first: all, those of a task, or those that a query finds."
            )
        {
            _selection.AddTo(this);
            Add(_limit);
            Add(_json);
            _source.AddTo(this, common);
            Validators.Add(result =>
            {
                if (result.GetResult(_limit) is { Implicit: false } && result.GetValue(_limit) < 1)
                    result.AddError($"--limit is {result.GetValue(_limit)}; it must be at least 1");
            });
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var selection = _selection.Read(run.Parsed);
            var page = await _source
                .ListAsync(
                    run,
                    selection with
                    {
                        All = selection.Task is null && selection.Query is null,
                    },
                    run.Parsed.GetValue(_limit),
                    cancellationToken
                )
                .ConfigureAwait(false);
            if (run.Parsed.GetValue(_json))
            {
                await run
                    .Console.Out.WriteLineAsync(
                        JsonSerializer.Serialize(page, JsonForms.Indented).AsMemory(),
                        cancellationToken
                    )
                    .ConfigureAwait(false);
                return ExitCodes.Success;
            }
            if (page.Letters.Count > 0)
                SummaryTable.ConsoleFor(run.Console.Out, run.Console.IsOutputTerminal).Write(Draw(page.Letters));
            await run
                .Console.Out.WriteLineAsync(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{(page.Letters.Count == page.Total ? "" : $"{page.Letters.Count:N0} of ")}{page.Total:N0} dead {(page.Total == 1 ? "letter" : "letters")}"
                    )
                )
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }

        private static Table Draw(IReadOnlyList<DeadLetterView> letters)
        {
            var table = new Table().Border(TableBorder.Rounded);
            foreach (var column in new[] { "id", "class", "document", "tries", "when", "error" })
                table.AddColumn(column);
            foreach (var letter in letters)
            {
                var state =
                    (letter.Class ?? letter.Kind)
                    + (letter.Retry ? " (retry)" : "")
                    + (letter.Edited ? " (edited)" : "");
                table.AddRow(
                    new Text(letter.Id),
                    new Text(state),
                    new Text(letter.DocumentId),
                    new Text(letter.Attempts.ToString(CultureInfo.InvariantCulture)),
                    new Text(letter.Time?[..Math.Min(19, letter.Time.Length)] ?? ""),
                    new Text(letter.Error)
                );
            }
            return table;
        }
    }

    private sealed class Show : WorkerCommand
    {
        private readonly DeadLetterSource _source = new();
        private readonly Argument<string> _id = new("id") { Description = "The dead letter's id.", HelpName = "ID" };

        public Show(CommonOptions common)
            : base("show", "Print one dead letter whole: input, error, script version, message.")
        {
            AddPlain(_id);
            AddJson("Print JSON, which is also the output without this option.");
            _source.AddTo(this, common);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            await run
                .Console.Out.WriteLineAsync(
                    await _source.ShowAsync(run, run.Parsed.GetValue(_id)!, cancellationToken).ConfigureAwait(false)
                )
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }

    private sealed class Retry : WorkerCommand
    {
        private readonly DeadLetterSource _source = new();
        private readonly SelectionOptions _selection = new(takesIds: true);
        private readonly Option<double> _wait = new("--wait")
        {
            Description = "How long to wait for a running worker to retry them.",
            HelpName = "SECONDS",
            DefaultValueFactory = _ => 30,
        };

        public Retry(CommonOptions common)
            : base(
                "retry",
                "Run the current transform and send its messages. If no worker has the database open, this happens at the worker's next start."
            )
        {
            _selection.AddTo(this);
            Add(_wait);
            AddJson();
            _source.AddTo(this, common);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var outcome = await _source
                .RetryAsync(run, _selection.Read(run.Parsed), run.Parsed.GetValue(_wait), cancellationToken)
                .ConfigureAwait(false);
            if (run.IsJson)
            {
                await run.PrintAsync(outcome, "", cancellationToken).ConfigureAwait(false);
                return outcome.Again.Count > 0 ? ExitCodes.Failed : ExitCodes.Success;
            }
            if (!_source.IsRunning)
            {
                await run
                    .Console.Out.WriteLineAsync(
                        string.Create(
                            CultureInfo.InvariantCulture,
                            $"{outcome.Marked:N0} marked; {(outcome.Marked == 1 ? "it is" : "they are")} tried at the worker's next start"
                        )
                    )
                    .ConfigureAwait(false);
                return ExitCodes.Success;
            }
            foreach (var letter in outcome.Again)
            {
                await run
                    .Console.Error.WriteLineAsync(
                        $"pipeline: {letter.Id} ({letter.DocumentId}) failed again: {letter.Error}"
                    )
                    .ConfigureAwait(false);
            }

            var pending =
                outcome.Pending == 0
                    ? ""
                    : string.Create(CultureInfo.InvariantCulture, $", {outcome.Pending:N0} wait for their task");
            await run
                .Console.Out.WriteLineAsync(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{outcome.Marked:N0} tried: {outcome.Gone:N0} done, {outcome.Again.Count:N0} failed again{pending}"
                    )
                )
                .ConfigureAwait(false);
            return outcome.Again.Count > 0 ? ExitCodes.Failed : ExitCodes.Success;
        }
    }

    private sealed class Edit : WorkerCommand
    {
        private readonly DeadLetterSource _source = new();
        private readonly Argument<string> _id = new("id") { Description = "The dead letter's id.", HelpName = "ID" };
        private readonly Option<string> _document = new("--document")
        {
            Description = "File that holds the new input, a JSON document; - for standard input.",
            HelpName = "FILE",
            Required = true,
        };

        public Edit(CommonOptions common)
            : base(
                "edit",
                "Replace the input of a dead letter. The next retry runs the transform over it in place of the document."
            )
        {
            AddPlain(_id);
            Add(_document);
            AddJson();
            _source.AddTo(this, common);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var id = run.Parsed.GetValue(_id)!;
            await _source
                .EditAsync(
                    run,
                    id,
                    await ReadAsync(run.Parsed.GetValue(_document)!, cancellationToken).ConfigureAwait(false),
                    cancellationToken
                )
                .ConfigureAwait(false);
            await run.PrintAsync(
                    new { id, edited = true },
                    $"{id} is edited; 'pipeline deadletters retry {id}' sends it",
                    cancellationToken
                )
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }

        private static async Task<byte[]> ReadAsync(string file, CancellationToken cancellationToken)
        {
            if (file != "-")
                return await File.ReadAllBytesAsync(file, cancellationToken).ConfigureAwait(false);
            var input = Console.OpenStandardInput();
            await using var closing = input.ConfigureAwait(false);
            using var bytes = new MemoryStream();
            await input.CopyToAsync(bytes, cancellationToken).ConfigureAwait(false);
            return bytes.ToArray();
        }
    }

    private sealed class Drop : WorkerCommand
    {
        private readonly DeadLetterSource _source = new();
        private readonly SelectionOptions _selection = new(takesIds: true);

        public Drop(CommonOptions common)
            : base("drop", "Delete dead letters permanently; the changes parked after them continue.")
        {
            _selection.AddTo(this);
            AddJson();
            _source.AddTo(this, common);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var dropped = await _source
                .DropAsync(run, _selection.Read(run.Parsed), cancellationToken)
                .ConfigureAwait(false);
            await run.PrintAsync(
                    new { dropped },
                    string.Create(CultureInfo.InvariantCulture, $"{dropped:N0} dropped"),
                    cancellationToken
                )
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }

    /// <summary>The selection of letters.</summary>
    private sealed class SelectionOptions(bool takesIds)
    {
        private readonly Argument<string[]> _ids = new("ids")
        {
            Description = "Dead letters by id.",
            HelpName = "ID",
            Arity = ArgumentArity.ZeroOrMore,
        };
        private readonly Option<string?> _task = new("--task")
        {
            Description = "The dead letters of one task.",
            HelpName = "NAME",
        };
        private readonly Option<string?> _query = new("--query")
        {
            Description = "The dead letters that a query finds: from DeadLetters where Class = 'script'.",
            HelpName = "RQL",
        };
        private readonly Option<bool> _all = new("--all") { Description = "All dead letters." };

        public void AddTo(WorkerCommand command)
        {
            command.Add(_task);
            command.Add(_query);
            if (!takesIds)
                return;
            command.AddPlain(_ids);
            command.Add(_all);
            command.Validators.Add(result =>
            {
                var given =
                    (result.GetValue(_ids)?.Length > 0 ? 1 : 0)
                    + (result.GetValue(_query) is null ? 0 : 1)
                    + (result.GetValue(_all) ? 1 : 0);
                if (given == 0 && result.GetValue(_task) is null)
                    result.AddError("name the dead letters by their ids, or give --task, --query or --all");
                else if (given > 1)
                    result.AddError("give ids, --query or --all, one of them");
            });
        }

        public DeadLetterSelection Read(ParseResult parsed) =>
            new()
            {
                Ids = takesIds ? parsed.GetValue(_ids) ?? [] : [],
                Task = parsed.GetValue(_task),
                Query = parsed.GetValue(_query),
                All = takesIds && parsed.GetValue(_all),
            };
    }
}
