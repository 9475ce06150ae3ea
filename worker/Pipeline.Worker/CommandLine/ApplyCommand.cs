using System.CommandLine;
using Pipeline.Configuration.Planning;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline apply</c>: makes a running worker reload its configuration file.</summary>
internal sealed class ApplyCommand : WorkerCommand
{
    private readonly Option<string?> _url = WorkerClient.FoundOption();
    private readonly Option<string[]> _keep = new("--keep")
    {
        Description =
            "A removed task that stays registered, so that tombstones are kept for it; * for all. May be repeated.",
        HelpName = "TASK",
    };

    public ApplyCommand(CommonOptions common)
        : base(
            "apply",
            "Make a running worker reload its configuration file. Changed tasks restart from their positions; the others continue undisturbed."
        )
    {
        Add(_url);
        Add(_keep);
        AddJson();
        common.AddWorkerTo(this, _url);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        using var client = new WorkerClient(
            await RunningWorker.RequireAsync(run, _url, cancellationToken).ConfigureAwait(false)
        );
        var keeps = string.Join('&', (run.Parsed.GetValue(_keep) ?? []).Select(k => "keep=" + Uri.EscapeDataString(k)));
        var plan = WorkerClient.Read<PipelineChangePlan>(
            await client.SendAsync(HttpMethod.Post, "/etl/apply?" + keeps, cancellationToken).ConfigureAwait(false)
        );
        if (run.IsJson)
            await run.PrintAsync(plan, "", cancellationToken).ConfigureAwait(false);
        else
            PlanText.Write(plan, run.Console.Out, done: true);
        return ExitCodes.Success;
    }
}
