using System.CommandLine;
using System.Net.Sockets;
using Pipeline.Worker.Hosting;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline health</c>: asks a running worker whether it is ready, for container health checks where there is no other client.</summary>
internal sealed class HealthCommand : WorkerCommand
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(4);

    private readonly Option<string> _url = new("--url")
    {
        Description = "The worker's address (server.url in its configuration).",
        HelpName = "URL",
        DefaultValueFactory = _ => WorkerDefaults.ServerUrl,
    };

    public HealthCommand()
        : base("health", "Ask a running worker whether it is ready; exit code 0 if it is, 1 if not.")
    {
        Add(_url);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var text = run.Parsed.GetValue(_url)!;
        if (!Uri.TryCreate(text, UriKind.Absolute, out var url) || url.Scheme is not ("http" or "https"))
            throw new WorkerException($"--url '{text}' is not an http address; {WorkerDefaults.ServerUrl} is the usual one", ExitCodes.Usage);
        using var client = new HttpClient { Timeout = Patience };
        try
        {
            using var response = await client.GetAsync(new Uri(url, "/health/ready"), cancellationToken).ConfigureAwait(false);
            var body = await response.Content.ReadAsStringAsync(cancellationToken).ConfigureAwait(false);
            await run.Console.Out.WriteLineAsync(body.TrimEnd()).ConfigureAwait(false);
            return response.IsSuccessStatusCode ? ExitCodes.Success : ExitCodes.Failed;
        }
        catch (HttpRequestException e)
        {
            var reason = e.InnerException is SocketException socket ? socket.Message : e.Message;
            throw new WorkerException($"no worker answers at {url.GetLeftPart(UriPartial.Authority)}: {reason}; is 'pipeline run' running there?", ExitCodes.Failed, e);
        }
        catch (TaskCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new WorkerException($"the worker at {url.GetLeftPart(UriPartial.Authority)} has not answered within {Patience.TotalSeconds:0} s", ExitCodes.Failed, e);
        }
    }
}
