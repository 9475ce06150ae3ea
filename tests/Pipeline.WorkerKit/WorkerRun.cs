using System.Text;
using Pipeline.Worker;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Terminal;

namespace Pipeline.WorkerKit;

/// <summary>Runs <c>pipeline</c> in this process and captures its output.</summary>
public sealed record WorkerRun(int ExitCode, string Out, string Error)
{
    public static async Task<WorkerRun> InvokeAsync(string[] arguments, CancellationToken cancellationToken = default)
    {
        using var stream = new MemoryStream();
        var output = new StringWriter();
        var error = new StringWriter();
        var console = new WorkerConsole(output, error, stream);
        var code = await new PipelineCommandLine(console, TimeProvider.System).InvokeAsync(
            arguments,
            cancellationToken
        );
        return new WorkerRun(code, output + Encoding.UTF8.GetString(stream.ToArray()), error.ToString());
    }

    public static Task<WorkerRun> InvokeAsync(params string[] arguments) =>
        InvokeAsync(arguments, CancellationToken.None);
}
