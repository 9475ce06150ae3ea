using Pipeline.Worker;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Services;
using Pipeline.Worker.Terminal;

if (WindowsService.IsThisProcess)
    return ServiceProgram.Run(args, TimeProvider.System);

var console = WorkerConsole.OfProcess();
var line = new PipelineCommandLine(console, TimeProvider.System);
using var signals = new ProcessSignals(console, TimeProvider.System, line.WhenStopped(args));
return await line.InvokeAsync(args, signals.Stopping).ConfigureAwait(false);
