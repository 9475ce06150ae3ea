using System.Runtime.Versioning;
using Pipeline.Worker.Services;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker;

/// <summary>
/// The program as a service of Windows. The service manager stops it, so no signals are handled, and what a person
/// would read in a terminal goes to the event log.
/// </summary>
[SupportedOSPlatform("windows")]
internal static class ServiceProgram
{
    /// <summary>Runs a command line until the service manager stops it or the command ends.</summary>
    /// <param name="arguments">The command line, as the service was created with.</param>
    /// <param name="time">The clock.</param>
    /// <returns>The exit code of the process.</returns>
    public static int Run(string[] arguments, TimeProvider time) =>
        WindowsService.Run((service, stopping) => InvokeAsync(service, arguments, time, stopping), time);

    private static Task<int> InvokeAsync(
        WindowsService service,
        string[] arguments,
        TimeProvider time,
        CancellationToken stopping
    )
    {
        var console = WorkerConsole.OfProcess(service.Record);
        return new PipelineCommandLine(console, time, manager: service.Manager).InvokeAsync(arguments, stopping);
    }
}
