using Pipeline.Worker;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Services;
using Pipeline.Worker.Terminal;

if (WindowsService.IsThisProcess)
    return ServiceProgram.Run(args, TimeProvider.System);

var console = WorkerConsole.OfProcess();
using var signals = new ProcessSignals(console, TimeProvider.System);
return await new PipelineCommandLine(console, TimeProvider.System)
    .InvokeAsync(args, signals.Stopping)
    .ConfigureAwait(false);
