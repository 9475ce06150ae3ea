using System.CommandLine;
using System.Text.Json;
using Pipeline.Backups;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Running;
using Pipeline.Hosting;
using Pipeline.Hosting.Backups;
using Pipeline.Worker.CommandLine;
using Spectre.Console;

namespace Pipeline.Worker.Backups;

/// <summary><c>pipeline backup run|list|verify|drill|retention|cancel|status</c>.</summary>
internal static partial class BackupCommands
{
    /// <summary>The commands below <c>backup</c>.</summary>
    public static IReadOnlyList<WorkerCommand> All(CommonOptions common) =>
        [
            new Run(common),
            new List(common),
            new Verify(common),
            new Drill(common),
            new Retain(common),
            new Cancel(common),
            new Status(common),
        ];

    private sealed class Run : WorkerCommand
    {
        private readonly Argument<string> _name = new("NAME")
        {
            Description = "The backup's name in the configuration.",
        };
        private readonly Option<bool> _full = new("--full") { Description = "Make a full backup." };
        private readonly Option<bool> _incremental = new("--incremental")
        {
            Description = "Make an incremental backup (the default); the first is always full.",
        };
        private readonly Option<bool> _json = new("--json") { Description = "Print the manifests as JSON." };
        private readonly Option<string?> _url = WorkerClient.InsteadOption();

        public Run(CommonOptions common)
            : base("run", "Make a backup at every destination.")
        {
            AddPlain(_name);
            Add(_full);
            Add(_incremental);
            Add(_json);
            Add(_url);
            common.AddConfigTo(this);
            Validators.Add(result =>
            {
                if (
                    result.GetResult(_url) is { Implicit: false }
                    && result.GetResult(common.Config) is { Implicit: false }
                )
                {
                    result.AddError("--config and --url cannot be combined; the worker has its own configuration");
                }

                if (result.GetValue(_full) && result.GetValue(_incremental))
                    result.AddError("--full and --incremental cannot be combined; give one of them");
            });
        }

        /// <inheritdoc/>
        public override string? WhenStopped(ParseResult parsed) =>
            "no backup was added; the next run reuses the chunks that were sent";

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var name = run.Parsed.GetValue(_name)!;
            BackupKind? kind =
                run.Parsed.GetValue(_full) ? BackupKind.Full
                : run.Parsed.GetValue(_incremental) ? BackupKind.Incremental
                : null;
            var results = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url
                ? await AskAsync(run, url, name, kind, cancellationToken).ConfigureAwait(false)
                : await MakeAsync(run, name, kind, cancellationToken).ConfigureAwait(false);
            if (run.Parsed.GetValue(_json))
            {
                await run
                    .Console.Out.WriteLineAsync(JsonSerializer.Serialize(results, JsonForms.Indented))
                    .ConfigureAwait(false);
            }
            else
            {
                foreach (var result in results)
                {
                    await (result.Error is null ? run.Console.Out : run.Console.Error)
                        .WriteLineAsync((result.Error is null ? "" : "pipeline: ") + BackupText.Describe(result))
                        .ConfigureAwait(false);
                }
            }

            return results.All(r => r.Error is null) ? ExitCodes.Success : ExitCodes.Failed;
        }

        private static async Task<IReadOnlyList<BackupRunView>> AskAsync(
            CommandRun run,
            string url,
            string name,
            BackupKind? kind,
            CancellationToken cancellationToken
        )
        {
            // When this program ends, its connection does, and the backup with it.
            using var client = new WorkerClient(url);
            var path =
                $"/backups/{Uri.EscapeDataString(name)}/run{kind switch { BackupKind.Full => "?kind=full", BackupKind.Incremental => "?kind=incremental", _ => "" }}";
            return WorkerClient.Read<List<BackupRunView>>(
                await RemoteBackup
                    .WatchAsync(
                        run,
                        client,
                        name,
                        client.SendAsync(HttpMethod.Post, path, cancellationToken),
                        cancellationToken
                    )
                    .ConfigureAwait(false)
            );
        }

        private static async Task<IReadOnlyList<BackupRunView>> MakeAsync(
            CommandRun run,
            string name,
            BackupKind? kind,
            CancellationToken cancellationToken
        )
        {
            var source = DataSource.Find(run.Settings);
            BackupSource.RequireSecrets(source.Configuration!, run.Settings, name);
            var definition =
                source.Configuration!.Backups.FirstOrDefault(b => b.Name == name)?.ToDefinition()
                ?? throw new WorkerException(
                    $"there is no backup '{name}' in {source.Configuration.File}",
                    ExitCodes.Usage
                );
            var opened = OpenedDatabase.OpenExisting(source, run.Loggers, run.Time);
            await using var closing = opened.ConfigureAwait(false);
            var line = new BackupLine(run.Console, run.Time);
            var runner = new BackupRunner(
                definition,
                opened.Database,
                new BackupRunnerOptions { Time = run.Time, Loggers = run.Loggers }
            );
            await using var ending = runner.ConfigureAwait(false);
            var report = await runner.RunAsync(kind, line, cancellationToken).ConfigureAwait(false);
            line.Clear();
            return [.. report.Destinations.Select(BackupRunView.Of)];
        }
    }

    private sealed class Cancel : WorkerCommand
    {
        private readonly Argument<string> _name = new("NAME") { Description = "The backup." };
        private readonly Option<string?> _url = WorkerClient.FoundOption();

        public Cancel(CommonOptions common)
            : base("cancel", "Cancel a backup's run in a running worker. The next run reuses the chunks already sent.")
        {
            AddPlain(_name);
            Add(_url);
            AddJson();
            common.AddWorkerTo(this, _url);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            using var client = new WorkerClient(
                await RunningWorker.RequireAsync(run, _url, cancellationToken).ConfigureAwait(false)
            );
            var answer = await client
                .SendAsync(
                    HttpMethod.Post,
                    $"/backups/{Uri.EscapeDataString(run.Parsed.GetValue(_name)!)}/cancel",
                    cancellationToken
                )
                .ConfigureAwait(false);
            using var parsed = JsonDocument.Parse(answer);
            var stopped = parsed.RootElement.GetProperty("cancelled").GetBoolean();
            await run.PrintAsync(
                    new { cancelled = stopped },
                    stopped ? "stopped" : "nothing was running",
                    cancellationToken
                )
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }

    private sealed class Status : WorkerCommand
    {
        private readonly Option<string?> _url = WorkerClient.FoundOption();

        public Status(CommonOptions common)
            : base(
                "status",
                "Show a running worker's backups as JSON: the last backup of each, the current run, the next due run, the last runs."
            )
        {
            Add(_url);
            AddJson("Print JSON, which is also the output without this option.");
            common.AddWorkerTo(this, _url);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            using var client = new WorkerClient(
                await RunningWorker.RequireAsync(run, _url, cancellationToken).ConfigureAwait(false)
            );
            await run
                .Console.Out.WriteLineAsync(await client.GetAsync("/backups", cancellationToken).ConfigureAwait(false))
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }
}
