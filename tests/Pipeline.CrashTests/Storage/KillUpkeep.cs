using Pipeline.Storage;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// Maintenance that runs in the child alongside its writers, over and over until it is killed:
/// compaction, scrub, held journal, rotation of the data key, a copy by backup.
/// </summary>
internal sealed class KillUpkeep(StorageEnvironment environment, string folder, int seed, bool encrypted) : IDisposable
{
    private readonly CancellationTokenSource _stop = new();

    /// <summary>The folder of the copy that was started last.</summary>
    public static string CopyOf(string folder) => folder.TrimEnd('/') + "-copy";

    public void Start()
    {
        Run(() => environment.CompactAsync(new CompactionOptions { MaxBytesPerSecond = 8 << 20 }, ct: _stop.Token));
        Run(() => environment.ScrubAsync(ct: _stop.Token));
        Run(HoldAsync);
        if (encrypted)
            Run(() => environment.RotateDataKeyAsync(_stop.Token));
        if (seed % 3 == 0)
            Run(CopyAsync);
    }

    public void Dispose()
    {
        _stop.Cancel();
        _stop.Dispose();
    }

    private void Run(Func<Task> once) =>
        _ = Task.Run(async () =>
        {
            try
            {
                while (true)
                {
                    try
                    {
                        await once();
                    }
                    catch (LogUnavailableException) when (encrypted)
                    {
                        // The rotation destroyed the key of held entries, so the backup starts again.
                    }
                    await Task.Delay(20, _stop.Token);
                }
            }
            catch (Exception e) when (e is not OperationCanceledException)
            {
                // The test finds that the child ended by itself.
                await Console.Error.WriteLineAsync(e.ToString());
                Environment.Exit(3);
            }
        });

    private async Task HoldAsync()
    {
        var from = environment.HoldLog("kill");
        await Task.Delay(100, _stop.Token);
        var through = environment.HoldLog("kill/through");
        environment.ReadLog(from, through, static (_, _, _) => { }, _stop.Token);
        if (seed % 2 == 0)
            environment.ReleaseLog("kill");
        environment.ReleaseLog("kill/through");
    }

    private Task CopyAsync()
    {
        var copy = CopyOf(folder);
        if (Directory.Exists(copy))
        {
            // Its name goes first: a kill in the middle must not leave a copy that looks whole and lacks its journal.
            File.Delete(Path.Combine(copy, "pipeline.data"));
            Directory.Delete(copy, recursive: true);
        }

        var from = environment.HoldLog("kill/copy");
        using var scan = new PageScan(environment, "kill");
        using var restore = new StoreRestore(KillChild.Options(copy, encrypted));
        var buffer = new byte[PageScan.MaxPartBytes];
        while (scan.TryRead(buffer, out var part, out var length))
            restore.AddPart(part, buffer.AsSpan(0, length));
        restore.BeginLog(scan.BeginState, isOneSnapshot: true);
        var through = environment.HoldLog("kill/copy/through");
        if (scan.Begin.Transaction < through.Transaction && from.Transaction <= scan.Begin.Transaction)
            environment.ReadLog(scan.Begin, through, restore.Apply, _stop.Token);
        restore.Complete();
        environment.ReleaseLog("kill/copy/through");
        environment.ReleaseLog("kill/copy");
        return Task.CompletedTask;
    }
}
