using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Retention;
using Pipeline.Backups.Running;
using Pipeline.Hosting;
using Pipeline.Hosting.Backups;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Terminal;
using Spectre.Console;

namespace Pipeline.Worker.Backups;

/// <content><c>list</c> and <c>retention</c>: the backups that exist, and those that stay.</content>
internal static partial class BackupCommands
{
    private sealed class List : WorkerCommand
    {
        private readonly Argument<string?> _name = new("NAME")
        {
            Description = "Only this backup.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        private readonly Option<bool> _json = new("--json") { Description = "Print them as JSON." };
        private readonly BackupSource _source;

        public List(CommonOptions common)
            : base("list", "List the backups with their contents and the time of their last verification.")
        {
            AddPlain(_name);
            Add(_json);
            _source = new BackupSource(this, common);
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var rows = new List<(string Name, string Destination, BackupManifest Backup, Verification? Verified)>();
            var problems = new List<string>();
            foreach (var definition in _source.Find(run, run.Parsed.GetValue(_name), out _))
            {
                foreach (
                    var repository in await BackupSource
                        .OpenAsync(run, definition, cancellationToken)
                        .ConfigureAwait(false)
                )
                {
                    await using var closing = repository.ConfigureAwait(false);
                    var verified = await repository.VerificationsAsync(cancellationToken).ConfigureAwait(false);
                    foreach (
                        var backup in await repository
                            .ListAsync(e => problems.Add(e.Message), cancellationToken)
                            .ConfigureAwait(false)
                    )
                    {
                        rows.Add(
                            (
                                definition.Name,
                                repository.Destination.Description,
                                backup,
                                verified.GetValueOrDefault(backup.Id)
                            )
                        );
                    }
                }
            }
            if (run.Parsed.GetValue(_json))
            {
                await run
                    .Console.Out.WriteLineAsync(
                        JsonSerializer.Serialize(
                            rows.Select(r => new
                            {
                                r.Name,
                                r.Destination,
                                r.Backup,
                                r.Verified,
                            }),
                            JsonForms.Indented
                        )
                    )
                    .ConfigureAwait(false);
            }
            else
            {
                Draw(rows, run.Console);
            }

            foreach (var problem in problems)
                await run.Console.Error.WriteLineAsync("pipeline: " + problem).ConfigureAwait(false);
            return problems.Count == 0 ? ExitCodes.Success : ExitCodes.Failed;
        }

        private static void Draw(
            List<(string Name, string Destination, BackupManifest Backup, Verification? Verified)> rows,
            WorkerConsole console
        )
        {
            foreach (var place in rows.GroupBy(r => (r.Name, r.Destination)))
            {
                console.Out.WriteLine($"{place.Key.Name} at {place.Key.Destination}");
                var table = new Table().Border(TableBorder.Rounded);
                foreach (var heading in (string[])["backup", "ended", "verified"])
                    table.AddColumn(heading);
                foreach (var heading in (string[])["position", "documents", "content", "stored"])
                    table.AddColumn(new TableColumn(heading).RightAligned());
                foreach (var (_, _, backup, verified) in place)
                {
                    table.AddRow(
                        new Text(backup.Id),
                        new Text(backup.Ended.ToString("yyyy-MM-dd HH:mm", CultureInfo.InvariantCulture)),
                        new Text(BackupText.Verified(verified)),
                        new Text(backup.To.Position.ToString("N0", CultureInfo.InvariantCulture)),
                        new Text(backup.DocumentCount.ToString("N0", CultureInfo.InvariantCulture)),
                        new Text(BackupText.Size(backup.ContentBytes)),
                        new Text(BackupText.Size(backup.StoredBytes))
                    );
                }
                SummaryTable.ConsoleFor(console.Out, console.IsOutputTerminal).Write(table);
            }
            if (rows.Count == 0)
                console.Out.WriteLine("no backups");
        }
    }

    private sealed class Retain : WorkerCommand
    {
        private readonly Argument<string?> _name = new("NAME")
        {
            Description = "Only this backup.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        private readonly Option<DateTimeOffset?> _at = new("--at")
        {
            Description = "The moment to evaluate; default now.",
            HelpName = "DATE",
            CustomParser = RestoreCommand.ParseTime,
        };
        private readonly Option<bool> _apply = new("--apply")
        {
            Description = "Remove the backups that the rules no longer keep. Every run also does this by itself.",
        };
        private readonly BackupSource _source;

        public Retain(CommonOptions common)
            : base("retention", "Show which backups the retention rules keep and which they remove, and why.")
        {
            AddPlain(_name);
            Add(_at);
            Add(_apply);
            AddJson();
            _source = new BackupSource(this, common);
            Validators.Add(result =>
            {
                if (result.GetValue(_apply) && result.GetResult(_at) is { Implicit: false })
                    result.AddError("--apply removes what goes now; leave --at out");
            });
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var places = new List<object>();
            var at = run.Parsed.GetValue(_at) ?? run.Time.GetUtcNow();
            foreach (var definition in _source.Find(run, run.Parsed.GetValue(_name), out _))
            {
                foreach (
                    var repository in await BackupSource
                        .OpenAsync(run, definition, cancellationToken)
                        .ConfigureAwait(false)
                )
                {
                    await using var closing = repository.ConfigureAwait(false);
                    var zone = definition.Schedule?.TimeZone ?? TimeZoneInfo.Utc;
                    var plan = RetentionPlan.Create(
                        await repository
                            .ListAsync(e => run.Console.Error.WriteLine("pipeline: " + e.Message), cancellationToken)
                            .ConfigureAwait(false),
                        definition.Retention,
                        at,
                        zone
                    );
                    if (!run.IsJson)
                    {
                        await WriteAsync(run.Console.Out, definition.Name, repository, plan, at, zone)
                            .ConfigureAwait(false);
                    }
                    var sweep = run.Parsed.GetValue(_apply)
                        ? await RetentionSweep
                            .RunAsync(
                                repository,
                                definition.Retention,
                                at,
                                TimeSpan.FromHours(24),
                                zone,
                                cancellationToken
                            )
                            .ConfigureAwait(false)
                        : null;
                    if (sweep is not null && !run.IsJson)
                    {
                        await run
                            .Console.Out.WriteLineAsync(
                                $"removed {sweep.Removed.Count} backups and {sweep.Chunks} chunks"
                            )
                            .ConfigureAwait(false);
                    }

                    places.Add(
                        new
                        {
                            definition.Name,
                            destination = repository.Destination.Description,
                            at,
                            backups = plan.Backups.Select(b => new
                            {
                                b.Backup.Id,
                                stays = b.Reason is not null,
                                b.Reason,
                            }),
                            removed = sweep?.Removed,
                            removedChunks = sweep?.Chunks,
                        }
                    );
                }
            }
            if (run.IsJson)
                await run.PrintAsync(places, "", cancellationToken).ConfigureAwait(false);
            return ExitCodes.Success;
        }

        private static async Task WriteAsync(
            TextWriter output,
            string name,
            BackupRepository repository,
            RetentionPlan plan,
            DateTimeOffset at,
            TimeZoneInfo zone
        )
        {
            await output
                .WriteLineAsync(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{name} at {repository.Destination.Description}, as of {TimeZoneInfo.ConvertTime(at, zone):yyyy-MM-dd HH:mm zzz}"
                    )
                )
                .ConfigureAwait(false);
            foreach (var (backup, reason) in plan.Backups)
            {
                await output
                    .WriteLineAsync(
                        $"  {(reason is null ? "goes " : "stays")}  {backup.Id}{(reason is null ? "" : $"  ({reason})")}"
                    )
                    .ConfigureAwait(false);
            }
        }
    }
}
