using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Hosting.Tasks;
using Pipeline.Yaml;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline replay</c>: makes a task send its messages again.</summary>
internal sealed class ReplayCommand : WorkerCommand
{
    private readonly Argument<string> _task = new("task") { Description = "The task.", HelpName = "TASK" };
    private readonly Option<long?> _from = new("--from")
    {
        Description = "Send the changes from this position on.",
        HelpName = "POSITION",
    };
    private readonly Option<string?> _since = new("--since")
    {
        Description =
            "Send the changes since this time (2026-01-31T12:00:00Z), or in the last period of this length (2h, 7d).",
        HelpName = "TIME",
    };
    private readonly Option<string?> _query = new("--query")
    {
        Description = "Send the documents that this query finds.",
        HelpName = "RQL",
    };
    private readonly Option<bool> _dryRun = new("--dry-run")
    {
        Description = "Show what would be sent, and send nothing.",
    };
    private readonly Option<bool> _cancel = new("--cancel") { Description = "Cancel the running replay." };
    private readonly Option<bool> _json = new("--json") { Description = "Print JSON." };
    private readonly Option<string?> _url = WorkerClient.InsteadOption();

    public ReplayCommand(CommonOptions common)
        : base(
            "replay",
            "Make a task send its messages again while new changes continue to flow. Newer versions win, the order of each key holds, and the task's position stays. If no worker has the database open, the replay begins at the worker's next start."
        )
    {
        AddPlain(_task);
        foreach (
            var option in new Option[]
            {
                _from,
                _since,
                _query,
                _dryRun,
                _cancel,
                _json,
                _url,
                common.Config,
                common.RunCommands,
            }
        )
        {
            Add(option);
        }

        Validators.Add(result =>
        {
            var given = new Option[] { _from, _since, _query, _cancel }.Count(o =>
                result.GetResult(o) is { Implicit: false }
            );
            if (given != 1)
            {
                result.AddError(
                    "say what to send again: --from POSITION, --since TIME or --query RQL, one of them; or --cancel"
                );
            }

            if (result.GetResult(_url) is { Implicit: false } && result.GetResult(common.Config) is { Implicit: false })
                result.AddError("--url and --config cannot be combined");
        });
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var task = run.Parsed.GetValue(_task)!;
        var body = new ReplayBody(
            task,
            run.Parsed.GetValue(_from),
            Since(run),
            run.Parsed.GetValue(_query),
            run.Parsed.GetValue(_dryRun),
            run.Parsed.GetValue(_cancel)
        );
        ReplayAnswer answer;
        var url = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false);
        if (url is not null)
        {
            answer = await WorkerClient
                .PostAsync<ReplayAnswer>(url, "/etl/replay", body, cancellationToken)
                .ConfigureAwait(false);
        }
        else
        {
            var source = DataSource.Find(run.Settings);
            var opened = OpenedDatabase.OpenExisting(source, run.Loggers, run.Time, keepsIndexes: true);
            await using var closing = opened.ConfigureAwait(false);
            answer = await ReplayEndpoint
                .AnswerAsync(body, opened.Database, source.Configuration!, null, cancellationToken)
                .ConfigureAwait(false);
        }
        if (run.Parsed.GetValue(_json))
        {
            await run
                .Console.Out.WriteLineAsync(
                    JsonSerializer.Serialize(answer, JsonForms.Indented).AsMemory(),
                    cancellationToken
                )
                .ConfigureAwait(false);
        }
        else
        {
            Write(answer, run.Console.Out, task, isRunning: url is not null);
        }

        return ExitCodes.Success;
    }

    private DateTimeOffset? Since(CommandRun run)
    {
        if (run.Parsed.GetValue(_since) is not { } text)
            return null;
        if (Quantities.TryParseDuration(text, out var ago))
            return run.Time.GetUtcNow() - ago;
        return DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var time)
            ? time
            : throw new WorkerException(
                $"--since '{text}' is neither a time such as 2026-01-31T12:00:00Z nor a duration such as 2h or 7d",
                ExitCodes.Usage
            );
    }

    private static void Write(ReplayAnswer answer, TextWriter output, string task, bool isRunning)
    {
        if (answer.Canceled is { } canceled)
        {
            output.WriteLine(
                canceled ? $"the replay of '{task}' was cancelled" : $"no replay of '{task}' is under way"
            );
        }
        else if (answer.Trial is { } trial)
        {
            output.WriteLine(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{trial.Documents:N0} changes up to position {trial.Through} would be sent again, {trial.Failed:N0} of them fail:"
                )
            );
            foreach (var (destination, count) in trial.Messages)
                output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"  {destination}: {count:N0} messages"));
            foreach (var (document, error) in trial.Errors)
                output.WriteLine($"  {document} fails: {error}");
            foreach (var line in trial.Sample)
                output.WriteLine("  " + line);
        }
        else if (answer.Replay is { } replay)
        {
            var what = replay.Documents is { } chosen
                ? string.Create(CultureInfo.InvariantCulture, $"{chosen:N0} documents")
                : string.Create(
                    CultureInfo.InvariantCulture,
                    $"the changes after position {replay.After} up to {replay.Through}"
                );
            output.WriteLine(
                $"'{task}' sends {what} again{(isRunning ? "; 'pipeline top' shows how far it is" : " at the worker's next start")}"
            );
        }
    }
}
