using Microsoft.Extensions.Logging;
using Pipeline.Hosting;
using Pipeline.Runner.Logging;
using Pipeline.Worker.Terminal;

namespace ClusterSample;

/// <summary>One node: a worker, as `pipeline run` starts it.</summary>
public static class Node
{
    /// <summary>Runs until the process that started it ends, or ends it.</summary>
    public static async Task<int> RunAsync(string configuration)
    {
        using var stop = new CancellationTokenSource();
        _ = Task.Run(() =>
        {
            // The input ends with the process that started this one.
            while (Console.In.Read() >= 0) { }
            stop.Cancel();
        });
        try
        {
            await using var worker = await PipelineWorker.OpenAsync(
                new WorkerOptions
                {
                    ConfigurationFile = configuration,
                    Listens = true,
                    Loggers = WorkerLogging.To(Console.Error, LogLevel.Information),
                },
                stop.Token
            );
            await worker.RunAsync(stop.Token);
            return 0;
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            Console.Error.WriteLine(e);
            return 1;
        }
    }
}
