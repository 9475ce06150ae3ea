using Pipeline.Worker;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Services;
using Pipeline.Worker.Terminal;

var time = TimeProvider.System;
if (WindowsService.IsThisProcess)
{
    return WindowsService.Run(
        (service, stopping) =>
            new PipelineCommandLine(
                WorkerConsole.OfProcess(service.Record),
                time,
                manager: service.Manager
            ).InvokeAsync(args, stopping),
        time
    );
}

var console = WorkerConsole.OfProcess();
using var signals = new ProcessSignals(console, time);
return await new PipelineCommandLine(console, time).InvokeAsync(args, signals.Stopping).ConfigureAwait(false);
