using System.CommandLine;
using System.Globalization;
using Pipeline.Backups;
using Pipeline.Backups.Drills;
using Pipeline.Hosting.Backups;
using Pipeline.Worker.CommandLine;

namespace Pipeline.Worker.Backups;

/// <content><c>pipeline backup verify|drill</c>.</content>
internal static partial class BackupCommands
{
    private sealed class Verify : WorkerCommand
    {
        private readonly Argument<string?> _name = new("NAME")
        {
            Description = "Only this backup.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        private readonly Option<string?> _backup = new("--backup")
        {
            Description = "Only the backup with this id, and those that it needs.",
            HelpName = "ID",
        };
        private readonly Option<bool> _removeDamaged = new("--remove-damaged")
        {
            Description = "Remove damaged chunks, so that the next full backup sends them again.",
        };
        private readonly BackupSource _source;

        public Verify(CommonOptions common)
            : base("verify", "Read every chunk of the backups and compare it with its checksum.")
        {
            AddPlain(_name);
            Add(_backup);
            Add(_removeDamaged);
            AddJson();
            _source = new BackupSource(this, common);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var reports = new List<object>();
            var sound = true;
            foreach (var definition in _source.Find(run, run.Parsed.GetValue(_name), out _))
            {
                foreach (
                    var repository in await BackupSource
                        .OpenAsync(run, definition, cancellationToken)
                        .ConfigureAwait(false)
                )
                {
                    await using var closing = repository.ConfigureAwait(false);
                    var line = new BackupLine(run.Console, run.Time);
                    var report = await new BackupVerifier(repository, run.Time)
                        .VerifyAsync(
                            run.Parsed.GetValue(_backup),
                            run.Parsed.GetValue(_removeDamaged),
                            line,
                            cancellationToken
                        )
                        .ConfigureAwait(false);
                    line.Clear();
                    reports.Add(report);
                    sound &= report.IsSound;
                    if (run.IsJson)
                        continue;
                    foreach (var problem in report.Problems)
                        await run.Console.Error.WriteLineAsync("pipeline: " + problem).ConfigureAwait(false);
                    await run
                        .Console.Out.WriteLineAsync(
                            string.Create(
                                CultureInfo.InvariantCulture,
                                $"{report.Destination}: {report.Backups} backups, {report.Chunks} chunks, {BackupText.Size(report.Bytes)}: {(report.IsSound ? "all is sound" : $"{report.Problems.Count} problems, {report.Removed} chunks removed")}"
                            )
                        )
                        .ConfigureAwait(false);
                }
            }
            if (run.IsJson)
                await run.PrintAsync(reports, "", cancellationToken).ConfigureAwait(false);
            return sound ? ExitCodes.Success : ExitCodes.Failed;
        }
    }

    private sealed class Drill : WorkerCommand
    {
        private readonly Argument<string?> _name = new("NAME")
        {
            Description = "Only this backup.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        private readonly Option<string?> _url = WorkerClient.InsteadOption();
        private readonly BackupSource _source;

        public Drill(CommonOptions common)
            : base(
                "drill",
                "Restore the newest backup of each destination into a scratch folder, check all of it, and delete it. A running worker also compares documents with its own."
            )
        {
            AddPlain(_name);
            Add(_url);
            AddJson();
            _source = new BackupSource(this, common);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var reports = new List<DrillReport>();
            var name = run.Parsed.GetValue(_name);
            if (await _source.FindWorkerAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url)
            {
                using var client = new WorkerClient(url);
                foreach (
                    var each in await RemoteBackup.NamesAsync(client, name, cancellationToken).ConfigureAwait(false)
                )
                {
                    reports.AddRange(
                        WorkerClient.Read<List<DrillReport>>(
                            await RemoteBackup
                                .WatchAsync(
                                    run,
                                    client,
                                    each,
                                    client.SendAsync(
                                        HttpMethod.Post,
                                        $"/backups/{Uri.EscapeDataString(each)}/drill",
                                        cancellationToken
                                    ),
                                    cancellationToken
                                )
                                .ConfigureAwait(false)
                        )
                    );
                }
            }
            else
            {
                var line = new BackupLine(run.Console, run.Time);
                foreach (var definition in _source.Find(run, name, out _))
                {
                    reports.AddRange(
                        await BackupDrill
                            .RunAsync(
                                definition,
                                null,
                                new BackupRunnerOptions { Time = run.Time, Loggers = run.Loggers },
                                line,
                                cancellationToken
                            )
                            .ConfigureAwait(false)
                    );
                }

                line.Clear();
            }
            if (run.IsJson)
                await run.PrintAsync(reports, "", cancellationToken).ConfigureAwait(false);
            foreach (var report in run.IsJson ? [] : reports)
            {
                var text =
                    report.Problem
                    ?? string.Create(
                        CultureInfo.InvariantCulture,
                        $"{report.Backup} is sound: position {report.Position}, {report.Documents:N0} documents, {report.Compared} compared with the live ones, in {report.Duration.TotalSeconds:0.0} s"
                    );
                await (report.Problem is null ? run.Console.Out : run.Console.Error)
                    .WriteLineAsync($"{(report.Problem is null ? "" : "pipeline: ")}{report.Destination}: {text}")
                    .ConfigureAwait(false);
            }
            return reports.All(r => r.Problem is null) ? ExitCodes.Success : ExitCodes.Failed;
        }
    }
}
