using System.CommandLine;
using System.Text.Json;
using Pipeline.Configuration;
using Pipeline.Configuration.Planning;
using Pipeline.Hosting;
using Pipeline.Subscriptions;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// <c>pipeline plan</c>: what the configuration would change, at a running worker or in a data folder.
/// </summary>
internal sealed class PlanCommand : WorkerCommand
{
    private const int DefaultSample = 20;
    private readonly Option<int> _sample = new("--sample")
    {
        Description = "How many of the newest documents to try changed transforms on.",
        HelpName = "N",
        DefaultValueFactory = _ => DefaultSample,
    };
    private readonly Option<bool> _json = new("--json") { Description = "Print JSON." };
    private readonly Option<string?> _url = new("--url")
    {
        Description =
            "Ask the running worker at this address what its current file would change. Without it, the worker that has the data folder open is found by itself.",
        HelpName = "URL",
    };

    public PlanCommand(CommonOptions common)
        : base(
            "plan",
            "Show which tasks, indexes and subscriptions a configuration would add, change and remove, and the messages that changed transforms make from real documents. Changes nothing."
        )
    {
        Add(_sample);
        Add(_json);
        Add(_url);
        common.AddConfigTo(this);
        Validators.Add(result =>
        {
            if (result.GetResult(_url) is { Implicit: false } && result.GetResult(common.Config) is { Implicit: false })
                result.AddError("--url and --config cannot be combined: a running worker plans with its own file");
            if (result.GetResult(_sample) is { Implicit: false } && result.GetValue(_sample) < 0)
                result.AddError("--sample is less than 0");
        });
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var sample = run.Parsed.GetValue(_sample);
        PipelineChangePlan plan;
        if (await FindWorkerAsync(run, cancellationToken).ConfigureAwait(false) is { } url)
        {
            using var client = new WorkerClient(url);
            plan = WorkerClient.Read<PipelineChangePlan>(
                await client
                    .SendAsync(HttpMethod.Get, $"/etl/plan?sample={sample}", cancellationToken)
                    .ConfigureAwait(false)
            );
        }
        else
        {
            var configuration = Load(run);
            configuration.CreatePlan();
            var source = DataSource.Of(configuration, run.Settings);
            var opened = OpenedDatabase.OpenExisting(source, run.Loggers, run.Time);
            await using var closing = opened.ConfigureAwait(false);
            var subscriptions = SubscriptionHost.Open(opened.Database, run.Time);
            await using var ending = subscriptions.ConfigureAwait(false);
            plan = new ChangePlanner(
                opened.Database,
                null,
                [.. subscriptions.GetStatus().Select(s => s.Definition)]
            ).Plan(configuration, sample, [], cancellationToken);
        }
        if (run.Parsed.GetValue(_json))
        {
            await run
                .Console.Out.WriteLineAsync(
                    JsonSerializer.Serialize(plan, JsonForms.Indented).AsMemory(),
                    cancellationToken
                )
                .ConfigureAwait(false);
        }
        else
        {
            PlanText.Write(plan, run.Console.Out, done: false);
        }

        return ExitCodes.Success;
    }

    private static PipelineConfiguration Load(CommandRun run) =>
        DataSource.LoadConfiguration(
            run.Settings,
            "a configuration with --config FILE or a running worker with --url URL"
        );

    /// <summary>The worker to ask. It plans with its own file, which must be the one that the command line means.</summary>
    private async Task<string?> FindWorkerAsync(CommandRun run, CancellationToken cancellationToken)
    {
        if (run.Parsed.GetValue(_url) is { } given)
            return given;
        var configuration = Load(run);
        var found = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false);
        if (found is not null)
            RunningWorker.RequireSameFile(configuration);
        return found;
    }
}
