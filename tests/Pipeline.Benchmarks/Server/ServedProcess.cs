using System.Diagnostics;
using System.Globalization;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;

namespace Pipeline.Benchmarks.Server;

/// <summary>
/// A server in a separate process, with one database in a temporary folder. It reports its memory and processor time on
/// request.
/// </summary>
internal sealed class ServedProcess : IAsyncDisposable
{
    private readonly Process _process;

    private ServedProcess(Process process, Uri url) => (_process, Url) = (process, url);

    /// <summary>Where it listens.</summary>
    public Uri Url { get; }

    /// <summary>
    /// The server's side: prints its address, and answers each line with bytes of its heap, bytes of its memory,
    /// milliseconds of processor time and bytes allocated so far.
    /// </summary>
    public static async Task<int> ServeAsync()
    {
        var folder = Directory.CreateTempSubdirectory("pipeline-bench-").FullName;
        try
        {
            await using var server = await PipelineServer.StartAsync(new ServerOptions { DataFolder = folder });
            await server.CreateDatabaseAsync("db");
            Console.WriteLine(server.Url);
            while (Console.ReadLine() is not null)
            {
                var allocated = GC.GetTotalAllocatedBytes(precise: true);
                GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
                var heap = GC.GetTotalMemory(forceFullCollection: true);
                using var self = Process.GetCurrentProcess();
                Console.WriteLine(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{heap} {self.WorkingSet64} {Environment.CpuUsage.TotalTime.TotalMilliseconds:F0} {allocated}"
                    )
                );
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
        return 0;
    }

    /// <summary>Starts one.</summary>
    public static async Task<ServedProcess> StartAsync()
    {
        var process = OwnProcess.Start(readsOutput: true, "server", "serve");
        return new ServedProcess(
            process,
            new Uri(
                await process.StandardOutput.ReadLineAsync() ?? throw new BenchmarkException("the server did not start")
            )
        );
    }

    /// <summary>
    /// Bytes of its managed heap, bytes of its memory, milliseconds of processor time, bytes allocated since its start.
    /// </summary>
    public async Task<(long Heap, long Memory, double CpuMilliseconds, long Allocated)> LookAsync()
    {
        await _process.StandardInput.WriteLineAsync("");
        var parts = (await _process.StandardOutput.ReadLineAsync())!.Split(' ');
        return (
            long.Parse(parts[0], CultureInfo.InvariantCulture),
            long.Parse(parts[1], CultureInfo.InvariantCulture),
            double.Parse(parts[2], CultureInfo.InvariantCulture),
            long.Parse(parts[3], CultureInfo.InvariantCulture)
        );
    }

    public async ValueTask DisposeAsync()
    {
        _process.StandardInput.Close();
        await _process.WaitForExitAsync();
        _process.Dispose();
    }
}
