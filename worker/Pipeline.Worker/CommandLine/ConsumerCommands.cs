using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Documents;
using Pipeline.Hosting;
using Pipeline.Hosting.Consumers;
using Pipeline.Worker.Terminal;
using Spectre.Console;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// <c>pipeline consumers list|remove</c>: the consumers of the change feed, and the data retained for each.
/// </summary>
internal static class ConsumerCommands
{
    /// <summary>The commands below <c>consumers</c>.</summary>
    public static IReadOnlyList<WorkerCommand> All(CommonOptions common) => [new List(common), new Remove(common)];

    private sealed class List : WorkerCommand
    {
        private readonly Option<bool> _json = new("--json") { Description = "Print them as JSON." };
        private readonly Option<string?> _url = WorkerClient.InsteadOption();

        public List(CommonOptions common)
            : base(
                "list",
                "List the consumers of changes (subscriptions, ETL tasks, indexes), with the backlog of each and the data retained for it."
            )
        {
            Add(_json);
            Add(_url);
            common.AddDatabaseTo(this);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            IReadOnlyList<ConsumerStatus> all;
            if (await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url)
            {
                using var client = new WorkerClient(url);
                all = WorkerClient.Read<IReadOnlyList<ConsumerStatus>>(
                    await client.GetAsync("/consumers", cancellationToken).ConfigureAwait(false)
                );
            }
            else
            {
                var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
                await using var closing = opened.ConfigureAwait(false);
                all = opened.Database.Consumers.GetStatus();
            }
            if (run.Parsed.GetValue(_json))
            {
                await run
                    .Console.Out.WriteLineAsync(
                        JsonSerializer.Serialize(all, JsonForms.Indented).AsMemory(),
                        cancellationToken
                    )
                    .ConfigureAwait(false);
            }
            else if (all.Count == 0)
            {
                await run.Console.Out.WriteLineAsync("no consumers").ConfigureAwait(false);
            }
            else
            {
                Draw(all, run.Console);
            }

            return ExitCodes.Success;
        }

        private static void Draw(IReadOnlyList<ConsumerStatus> all, WorkerConsole console)
        {
            var table = new Table().Border(TableBorder.Rounded);
            table.AddColumn("consumer");
            foreach (
                var heading in (string[])
                    [
                        "position",
                        "waits",
                        "bytes",
                        "age",
                        "tombstones",
                        "versions",
                        "journal",
                        "kept bytes",
                        "kept since",
                    ]
            )
            {
                table.AddColumn(new TableColumn(heading).RightAligned());
            }

            foreach (var one in all)
            {
                table.AddRow(
                    new Text(one.Name + (one.IsSlowest ? " (slowest)" : "")),
                    Number(one.Position),
                    Number(one.Pending.Changes),
                    Number(one.Pending.Bytes),
                    Seconds(one.AgeSeconds),
                    Number(one.HeldTombstones),
                    Number(one.HeldVersions),
                    Number(one.HeldJournalBytes),
                    Number(one.HeldBytes),
                    Seconds(one.HeldAgeSeconds)
                );
            }
            SummaryTable.ConsoleFor(console.Out, console.IsOutputTerminal).Write(table);
        }

        private static Text Number(long value) => new(value.ToString("N0", CultureInfo.InvariantCulture));

        private static Text Seconds(double value) => new(string.Create(CultureInfo.InvariantCulture, $"{value:N0} s"));
    }

    private sealed class Remove : WorkerCommand
    {
        private readonly Argument<string> _name = new("name")
        {
            Description = "The consumer, such as etl/old-task.",
            HelpName = "NAME",
        };
        private readonly Option<bool> _forget = new("--forget-position")
        {
            Description = "Forget its position too, so that a task of that name starts from the beginning.",
        };
        private readonly Option<string?> _url = WorkerClient.InsteadOption();

        public Remove(CommonOptions common)
            : base(
                "remove",
                "Remove a consumer that is no longer used, such as a task removed from the configuration, so that nothing more is kept for it."
            )
        {
            AddPlain(_name);
            Add(_forget);
            AddJson();
            Add(_url);
            common.AddDatabaseTo(this);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var name = run.Parsed.GetValue(_name)!;
            var forgets = run.Parsed.GetValue(_forget);
            ConsumerRemoval removal;
            if (await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url)
            {
                using var client = new WorkerClient(url);
                removal = WorkerClient.Read<ConsumerRemoval>(
                    await client
                        .SendAsync(
                            HttpMethod.Delete,
                            $"/consumers?name={Uri.EscapeDataString(name)}{(forgets ? "&forget=true" : "")}",
                            cancellationToken
                        )
                        .ConfigureAwait(false)
                );
            }
            else
            {
                var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
                await using var closing = opened.ConfigureAwait(false);
                removal = await ConsumerService
                    .RemoveAsync(opened.Database, opened.Source.ToConfiguration(), name, forgets, cancellationToken)
                    .ConfigureAwait(false);
            }
            await run.PrintAsync(
                    removal,
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"'{removal.Name}' is forgotten; {removal.HeldTombstones:N0} tombstones were kept for it. Its position {removal.Position} {(removal.ForgotPosition ? "is forgotten too" : "stays known, and deletions from now on are lost to it")}"
                    ),
                    cancellationToken
                )
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }
}
