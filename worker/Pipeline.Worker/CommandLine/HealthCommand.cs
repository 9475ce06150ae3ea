using System.CommandLine;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// <c>pipeline health</c>: asks a running worker whether it is ready. For health checks in containers without another
/// HTTP client.
/// </summary>
internal sealed class HealthCommand : WorkerCommand
{
    private readonly Option<string?> _url = WorkerClient.FoundOption();

    public HealthCommand(CommonOptions common)
        : base("health", "Ask a running worker whether it is ready; exit code 0 if it is, 1 if not.")
    {
        Add(_url);
        common.AddWorkerTo(this, _url);
        AddJson("Print JSON, which is also the output without this option.");
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        using var client = new WorkerClient(
            await RunningWorker.RequireAsync(run, _url, cancellationToken).ConfigureAwait(false)
        );
        var (ok, _, body) = await client.AskAsync("/health/ready", cancellationToken).ConfigureAwait(false);
        await run.Console.Out.WriteLineAsync(body.TrimEnd()).ConfigureAwait(false);
        return ok ? ExitCodes.Success : ExitCodes.Failed;
    }
}
