using System.Diagnostics;
using System.Globalization;
using Pipeline.Storage;

namespace Pipeline.Benchmarks.Storage;

/// <summary>
/// How long a store takes to open after its process was killed while loading at full speed with default settings.
/// A child process loads and is killed with SIGKILL at a random moment; the time until the first read is measured. Runs
/// plain, then encrypted. Arguments: `--rounds N` (default 10 of each), `--seed N`, `--path FOLDER`, `--reader` (the
/// child keeps a snapshot open all the time).
/// </summary>
public static class RecoveryBenchmarks
{
    private const int Writers = 4;
    private const int Batch = 250;
    private const double Goal = 5;

    public static async Task<int> RunAsync(string[] arguments)
    {
        var (rounds, seed, folder, reader) = (
            10,
            1,
            Path.Combine(Path.GetTempPath(), $"pipeline-recovery-{Environment.ProcessId}"),
            false
        );
        for (var i = 0; i < arguments.Length; i++)
        {
            if (arguments[i] == "--load" && i + 1 < arguments.Length)
            {
                return await LoadAsync(
                    arguments[i + 1],
                    arguments.Contains("--encrypted"),
                    arguments.Contains("--reader")
                );
            }

            if (
                arguments[i] == "--rounds"
                && i + 1 < arguments.Length
                && int.TryParse(arguments[i + 1], CultureInfo.InvariantCulture, out rounds)
                && rounds > 0
            )
            {
                i++;
            }
            else if (
                arguments[i] == "--seed"
                && i + 1 < arguments.Length
                && int.TryParse(arguments[i + 1], CultureInfo.InvariantCulture, out seed)
            )
            {
                i++;
            }
            else if (arguments[i] == "--path" && i + 1 < arguments.Length)
            {
                folder = Path.Combine(arguments[++i], "pipeline-recovery");
            }
            else if (arguments[i] == "--reader")
            {
                reader = true;
            }
            else
            {
                throw new BenchmarkException(
                    $"'{arguments[i]}' is not an argument: --rounds N, --seed N, --path FOLDER, --reader"
                );
            }
        }

        try
        {
            Measure("pipeline", folder, rounds, new Random(seed), encrypted: false, reader);
            Measure("pipeline-encrypted", folder, rounds, new Random(seed), encrypted: true, reader);
        }
        finally
        {
            if (Directory.Exists(folder))
                Directory.Delete(folder, recursive: true);
        }

        return 0;
    }

    private static void Measure(string peer, string folder, int rounds, Random random, bool encrypted, bool reader)
    {
        var times = new double[rounds];
        for (var round = 0; round < rounds; round++)
        {
            Folders.Wipe(folder);
            var loaded = TimeSpan.FromSeconds(2 + (6 * random.NextDouble()));
            var acknowledged = LoadAndKill(folder, loaded, encrypted, reader);
            var journal = new DirectoryInfo(Path.Combine(folder, "journal")).EnumerateFiles().Sum(f => f.Length);
            var clock = new Clock();
            using var environment = StorageEnvironment.Open(Options(folder, encrypted));
            using var read = environment.BeginRead();
            var count =
                read.TryOpenTree(StorageBenchmarks.TreeName, out var tree) && tree.TryGet(Key(0), out _)
                    ? tree.Count
                    : 0;
            times[round] = clock.Seconds;
            if (count < acknowledged)
                throw new BenchmarkException($"{acknowledged} items were acknowledged, {count} are there");
            Report.Remark(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"recovery {peer}: killed after {loaded.TotalSeconds:f1} s with {count:N0} items and {journal / 1e6:f0} MB of journal files; open in {times[round]:f2} s"
                )
            );
        }

        Array.Sort(times);
        Report.Figure("recovery", peer, "open-median", times[rounds / 2], "s");
        Report.Figure("recovery", peer, "open-max", times[^1], "s");
        if (times[^1] >= Goal)
            Report.Remark($"recovery {peer}: the goal of {Goal} s is missed");
    }

    /// <summary>
    /// Runs the child for a time from its first acknowledged batch on, kills it and returns how many items it had
    /// acknowledged at least.
    /// </summary>
    private static long LoadAndKill(string folder, TimeSpan time, bool encrypted, bool reader)
    {
        string[] arguments =
        [
            typeof(RecoveryBenchmarks).Assembly.Location,
            "recovery",
            "--load",
            folder,
            .. encrypted ? (string[])["--encrypted"] : [],
            .. reader ? (string[])["--reader"] : [],
        ];
        using var child =
            Process.Start(new ProcessStartInfo("dotnet", arguments) { RedirectStandardOutput = true })
            ?? throw new BenchmarkException("dotnet cannot be started");
        if (child.StandardOutput.ReadLine() is null)
            throw new BenchmarkException("the child has ended");
        var reading = Task.Run(() =>
        {
            var acknowledged = 0L;
            while (child.StandardOutput.ReadLine() is { } line)
            {
                // The last line may be cut off.
                if (
                    line.Length > 0
                    && line[^1] == ';'
                    && long.TryParse(line.AsSpan(0, line.Length - 1), CultureInfo.InvariantCulture, out var count)
                )
                {
                    acknowledged = Math.Max(acknowledged, count);
                }
            }
            return acknowledged;
        });
        if (child.WaitForExit(time))
            throw new BenchmarkException($"the child ended with {child.ExitCode}");
        child.Kill(); // SIGKILL
        child.WaitForExit();
        return reading.Result;
    }

    private static async Task<int> LoadAsync(string folder, bool encrypted, bool reader)
    {
        using var environment = StorageEnvironment.Open(Options(folder, encrypted));
        var values = new byte[4096][];
        var buffer = new byte[4096];
        for (var i = 0; i < values.Length; i++)
            values[i] = buffer.AsSpan(0, Generator.Value((ulong)i, buffer)).ToArray();
        var (next, acknowledged) = (0L, 0L);
        await WriteAsync();
        using var held = reader ? environment.BeginRead() : null;
        await Task.WhenAll(
            Enumerable
                .Range(0, Writers)
                .Select(_ =>
                    Task.Run(async () =>
                    {
                        while (true)
                            await WriteAsync();
                    })
                )
        );
        return 0;

        async Task WriteAsync()
        {
            var first = Interlocked.Add(ref next, Batch) - Batch;
            await environment.WriteAsync(transaction =>
            {
                var tree = transaction.CreateTree(StorageBenchmarks.TreeName);
                for (var i = first; i < first + Batch; i++)
                    tree.Put(Key(i), values[i % values.Length]);
            });
            Console.WriteLine(Interlocked.Add(ref acknowledged, Batch).ToString(CultureInfo.InvariantCulture) + ";");
        }
    }

    /// <summary>
    /// Makes keys: three in four are in order and the others random, like a load and the writes it causes in indexes.
    /// </summary>
    private static byte[] Key(long number)
    {
        var key = new byte[16];
        Generator.Key(number % 4 == 3 ? Generator.Mix((ulong)number) : (ulong)number, key);
        return key;
    }

    private static StorageOptions Options(string folder, bool encrypted) =>
        new() { Path = folder, Encryption = encrypted ? new StorageEncryption { Key = new byte[32] } : null };
}
