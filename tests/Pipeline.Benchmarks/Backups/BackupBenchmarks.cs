using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Pipeline.Backups;
using Pipeline.Backups.Chunks;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Restoring;
using Pipeline.Backups.Running;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Storage;

namespace Pipeline.Benchmarks.Backups;

/// <summary>
/// <c>backup [--mib N] [--folder PATH] [--repeat N] [--only-full] [--s3 URL BUCKET KEY SECRET] [--azure
/// CONNECTION-STRING CONTAINER]</c>: backups of a database of N MiB (1,024 by default). Measures full backups with each
/// codec and, for comparison, <c>tar | zstd -T2</c> of the same bytes. Then measures an increment, a restore, and how a
/// backup slows live writes.
/// </summary>
public static class BackupBenchmarks
{
    private static readonly string[] Words = [.. Enumerable.Range(0, 4_000).Select(Word)];

    public static async Task<int> RunAsync(string[] args)
    {
        var mib = int.Parse(Option(args, "--mib") ?? "1024", CultureInfo.InvariantCulture);
        var root = Option(args, "--folder") ?? Path.Combine(Path.GetTempPath(), "pipeline-backup-bench");
        Folders.Wipe(root);
        try
        {
            var data = Path.Combine(root, "data");
            await FillAsync(data, (long)mib << 20);
            var bytes = new FileInfo(Path.Combine(data, "pipeline.data")).Length;
            Report.Figure("backup", "pipeline", "data", bytes / 1048576.0, "MiB");
            for (var i = int.Parse(Option(args, "--repeat") ?? "1", CultureInfo.InvariantCulture); i > 0; i--)
            {
                // Alternates, so that other load on the machine affects both.
                foreach (var level in new[] { 1, 3 })
                    Tar(root, bytes, level);
                await using var again = Open(data);
                foreach (var compression in new[] { ChunkCompression.ZstdFast, ChunkCompression.Zstd })
                {
                    await FullAsync(
                        again,
                        new FolderDefinition(Path.Combine(root, "bak")),
                        compression,
                        "folder",
                        keep: false
                    );
                }
            }
            if (Array.IndexOf(args, "--only-full") >= 0)
                return 0;
            await using var database = Open(data);
            foreach (var compression in new[] { ChunkCompression.ZstdFast, ChunkCompression.Gzip })
            {
                await FullAsync(
                    database,
                    new FolderDefinition(Path.Combine(root, "bak")),
                    compression,
                    "folder",
                    keep: compression == ChunkCompression.ZstdFast
                );
            }

            if (Array.IndexOf(args, "--s3") is >= 0 and var at)
            {
                var s3 = new S3Definition(args[at + 2])
                {
                    Endpoint = new Uri(args[at + 1]),
                    AccessKey = args[at + 3],
                    SecretKey = args[at + 4],
                };
                await FullAsync(database, s3, ChunkCompression.ZstdFast, "s3", keep: true);
            }
            if (Array.IndexOf(args, "--azure") is >= 0 and var azure)
            {
                await FullAsync(
                    database,
                    new AzureBlobDefinition(args[azure + 2]) { ConnectionString = args[azure + 1] },
                    ChunkCompression.ZstdFast,
                    "azure",
                    keep: true
                );
            }

            await IncrementAsync(database, root);
            await LiveAsync(database, root);
            await RestoreAsync(root);
            return 0;
        }
        finally
        {
            Directory.Delete(root, recursive: true);
        }
    }

    private static async Task FillAsync(string folder, long bytes)
    {
        await using var database = Open(folder);
        var random = new Random(1);
        var clock = new Clock();
        var text = new StringBuilder();
        await using (var insert = database.BeginBulkInsert())
        {
            for (var n = 0; ; n++)
            {
                if (
                    n % 10_000 == 0
                    && database.Storage.GetStatistics() is var s
                    && (s.PageCount - s.FreePages) * 8192 >= bytes
                )
                {
                    break;
                }

                text.Clear()
                    .Append(
                        CultureInfo.InvariantCulture,
                        $"{{\"Number\":{n},\"Customer\":\"customers/{random.Next(50_000)}\",\"Total\":{random.NextDouble() * 1000:F2},\"At\":\"2026-{random.Next(1, 13):00}-{random.Next(1, 29):00}T{random.Next(24):00}:{random.Next(60):00}:00Z\",\"Text\":\""
                    );
                for (var words = random.Next(20, 160); words > 0; words--)
                    text.Append(Words[(int)(Words.Length * Math.Pow(random.NextDouble(), 3))]).Append(' ');
                text.Append("\",\"@metadata\":{\"@collection\":\"Orders\"}}");
                await insert.StoreAsync($"orders/{n}", Encoding.UTF8.GetBytes(text.ToString()));
            }
            await insert.CompleteAsync();
        }
        Report.Figure("backup", "pipeline", "fill", clock.Seconds, "s");
    }

    private static void Tar(string root, long bytes, int level)
    {
        var file = Path.Combine(root, "data.tar.zst");
        var clock = Stopwatch.StartNew();
        double cpu;
        using (
            var shell = Process.Start(
                new ProcessStartInfo(
                    "/bin/bash",
                    [
                        "-c",
                        $"TIMEFORMAT='%U %S'; time (tar c -C '{root}' data | zstd -q -T2 -{level} -o '{file}' && sync '{file}')",
                    ]
                )
                {
                    RedirectStandardError = true,
                }
            )!
        )
        {
            var times = shell.StandardError.ReadToEnd().Trim().Split('\n')[^1];
            shell.WaitForExit();
            cpu = shell.ExitCode == 0 ? times.Split(' ').Sum(t => double.Parse(t, CultureInfo.InvariantCulture)) : 0;
            if (shell.ExitCode != 0)
            {
                Report.Remark("tar | zstd is not to be had here");
                return;
            }
        }
        Report.Figure(
            "backup",
            $"tar-zstd-{level}",
            "throughput",
            bytes / 1048576.0 / clock.Elapsed.TotalSeconds,
            "MiB/s"
        );
        Report.Figure("backup", $"tar-zstd-{level}", "cpu", cpu, "s");
        Report.Figure("backup", $"tar-zstd-{level}", "size", new FileInfo(file).Length / 1048576.0, "MiB");
        File.Delete(file);
    }

    private static async Task FullAsync(
        DocumentDatabase database,
        DestinationDefinition to,
        ChunkCompression compression,
        string peer,
        bool keep
    )
    {
        var definition = new BackupDefinition
        {
            Name = keep ? "kept" : compression.ToString(),
            Destinations = [to],
            Compression = compression,
        };
        await using var runner = new BackupRunner(definition, database);
        var clock = new Clock();
        var allocated = GC.GetTotalAllocatedBytes();
        var backup = Made(await runner.RunAsync(BackupKind.Full));
        var name = $"{peer}-{compression}";
        Report.Figure("backup", name, "throughput", backup.ContentBytes / 1048576.0 / clock.Seconds, "MiB/s");
        Report.Figure("backup", name, "cpu", clock.CpuSeconds, "s");
        Report.Figure("backup", name, "allocated", (GC.GetTotalAllocatedBytes() - allocated) / 1048576.0, "MiB");
        Report.Figure("backup", name, "size", backup.StoredBytes / 1048576.0, "MiB");
        Report.Figure("backup", name, "duration", clock.Seconds, "s");
        if (!keep && to is FolderDefinition folder)
            Directory.Delete(Path.Combine(folder.Path, definition.Name), recursive: true);
    }

    private static async Task IncrementAsync(DocumentDatabase database, string root)
    {
        await using var runner = new BackupRunner(Kept(root), database);
        Made(await runner.RunAsync());
        foreach (var changes in new[] { 100, 10_000 })
        {
            var random = new Random(changes);
            await Task.WhenAll(
                Enumerable
                    .Range(0, changes)
                    .Select(i =>
                        database.PutAsync(
                            $"orders/{random.Next(200_000)}",
                            Encoding.UTF8.GetBytes($$"""{"Changed":{{i}},"@metadata":{"@collection":"Orders"} }""")
                        )
                    )
            );
            var clock = new Clock();
            var backup = Made(await runner.RunAsync());
            Report.Figure("backup", $"increment-{changes}", "duration", clock.Seconds * 1000, "ms");
            Report.Figure("backup", $"increment-{changes}", "sent", backup.SentBytes / 1024.0, "KiB");
        }
    }

    private static async Task LiveAsync(DocumentDatabase database, string root)
    {
        foreach (var name in new[] { "live-alone", "live-during", "live-throttled" })
        {
            using var stop = new CancellationTokenSource();
            var latencies = new ConcurrentBag<double>();
            var writers = Enumerable
                .Range(0, 2)
                .Select(w =>
                    Task.Run(async () =>
                    {
                        for (var i = 0; !stop.IsCancellationRequested; i++)
                        {
                            var started = Stopwatch.GetTimestamp();
                            await database.PutAsync($"live/{w}/{i % 1000}", "{\"A\":1}"u8.ToArray());
                            latencies.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
                        }
                    })
                )
                .ToList();
            if (name != "live-alone")
            {
                var definition = Kept(root) with
                {
                    Name = name,
                    MaxWriteLatency = name == "live-throttled" ? TimeSpan.FromMilliseconds(2) : null,
                };
                await using var runner = new BackupRunner(definition, database);
                var clock = new Clock();
                var backup = Made(await runner.RunAsync(BackupKind.Full));
                Report.Figure("backup", name, "duration", clock.Seconds, "s");
                await stop.CancelAsync();
                var drill = (
                    await Pipeline.Backups.Drills.BackupDrill.RunAsync(
                        definition,
                        database,
                        new BackupRunnerOptions { ScratchFolder = root }
                    )
                )[0];
                Report.Remark(
                    $"{name}: {backup.Transactions} transactions while it ran; restored, checked, {drill.Compared} documents compared: {drill.Problem ?? "all is sound"}"
                );
            }
            else
            {
                await Task.Delay(TimeSpan.FromSeconds(4));
            }
            await stop.CancelAsync();
            await Task.WhenAll(writers);
            double[] sorted = [.. latencies.Order()];
            Report.Figure("backup", name, "p50", Report.Percentile(sorted, 0.5), "ms");
            Report.Figure("backup", name, "p99", Report.Percentile(sorted, 0.99), "ms");
        }
    }

    private static async Task RestoreAsync(string root)
    {
        await using var repository = (await RepositoryAccess.OpenAsync(Kept(root), null, create: false, default))[
            0
        ].Repository!;
        var clock = new Clock();
        var report = await new BackupRestorer(repository).RestoreAsync(
            new RestorePoint(),
            new StorageOptions { Path = Path.Combine(root, "restored") }
        );
        Report.Figure("backup", "restore", "throughput", report.Bytes / 1048576.0 / clock.Seconds, "MiB/s");
        Report.Figure("backup", "restore", "duration", clock.Seconds, "s");
    }

    private static BackupDefinition Kept(string root) =>
        new() { Name = "kept", Destinations = [new FolderDefinition(Path.Combine(root, "bak"))] };

    private static BackupManifest Made(BackupReport report) =>
        report.Destinations[0].Backup ?? throw new BenchmarkException(report.Destinations[0].Error!.Message);

    private static DocumentDatabase Open(string folder) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "bench",
                Path = folder,
                Indexing = new IndexingOptions { Enabled = false },
            }
        );

    private static string Word(int n)
    {
        var random = new Random(n);
        return string.Concat(Enumerable.Range(0, 2 + random.Next(9)).Select(_ => (char)('a' + random.Next(26))));
    }

    private static string? Option(string[] args, string name) =>
        Array.IndexOf(args, name) is >= 0 and var at && at + 1 < args.Length ? args[at + 1] : null;
}
