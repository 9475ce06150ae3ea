using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Etl.Resuming;
using Pipeline.Hosting;
using Pipeline.Hosting.Tasks;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline etl resume</c>: decides about tasks that are blocked.</summary>
internal static class EtlCommands
{
    /// <summary>The commands below <c>etl</c>.</summary>
    public static IReadOnlyList<WorkerCommand> All(CommonOptions common) => [new Resume(common)];

    private sealed class Resume : WorkerCommand
    {
        private readonly Argument<string> _task = new("task") { Description = "The task.", HelpName = "TASK" };
        private readonly Option<string> _from = new("--from")
        {
            Description =
                "The first position to send, or a word. 'position': the changes after the task's stored position. 'lineage': changes since the restore or copy. 'end': only future changes.",
            HelpName = "WHERE",
            Required = true,
        };

        private readonly Option<bool> _json = new("--json") { Description = "Print JSON." };
        private readonly Option<string?> _url = WorkerClient.InsteadOption();

        public Resume(CommonOptions common)
            : base(
                "resume",
                "Set where a blocked task continues: after a restore, or if its target knows changes that the database does not have."
            )
        {
            AddPlain(_task);
            foreach (var option in new Option[] { _from, _json, _url, common.Config, common.RunCommands })
                Add(option);
            Validators.Add(result =>
            {
                if (
                    result.GetResult(_url) is { Implicit: false }
                    && result.GetResult(common.Config) is { Implicit: false }
                )
                {
                    result.AddError("--url and --config cannot be combined");
                }
            });
        }

        /// <inheritdoc/>
        public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
        {
            var body = new ResumeBody(run.Parsed.GetValue(_task), run.Parsed.GetValue(_from));
            var url = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false);
            ResumedTask resumed;
            if (url is not null)
            {
                resumed = await WorkerClient
                    .PostAsync<ResumedTask>(url, "/etl/resume", body, cancellationToken)
                    .ConfigureAwait(false);
            }
            else
            {
                var source = DataSource.Find(run.Settings);
                var opened = OpenedDatabase.OpenExisting(source, run.Loggers, run.Time, keepsIndexes: true);
                await using var closing = opened.ConfigureAwait(false);
                resumed = await ResumeEndpoint
                    .AnswerAsync(body, opened.Database, source.Configuration!, null, cancellationToken)
                    .ConfigureAwait(false);
            }
            var text = run.Parsed.GetValue(_json)
                ? JsonSerializer.Serialize(resumed, JsonForms.Indented)
                : string.Create(
                    CultureInfo.InvariantCulture,
                    $"'{resumed.Task}' continues after position {resumed.Position} of {resumed.LastPosition}{(url is null ? " at the worker's next start" : "")}"
                );
            await run.Console.Out.WriteLineAsync(text.AsMemory(), cancellationToken).ConfigureAwait(false);
            return ExitCodes.Success;
        }
    }
}
