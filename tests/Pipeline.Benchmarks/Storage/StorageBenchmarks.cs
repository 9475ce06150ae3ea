using System.Globalization;
using Pipeline.Benchmarks.Documents;
using Pipeline.Storage;

namespace Pipeline.Benchmarks.Storage;

/// <summary>
/// The storage workloads through the public storage API.
/// Arguments: any of S1 S2 S3 S4 S4r S5 D1 D1i (default all; the last two through the document API),
/// `--path FOLDER` (default a new one in the temporary folder, removed at the end),
/// `--items N` (default 1,000,000; fewer for a quick look, without the checksums), `--data FOLDER` (D1's input),
/// `--encrypted`, `--compressed` (the values of S1 through <see cref="ValueDictionaries"/>, under the peer name
/// `pipeline-compressed`), `--journal off|auto|on` (whether the journal is compressed).
/// </summary>
public static class StorageBenchmarks
{
    private static StorageEncryption? _encryption;
    private static JournalCompression _journal = new StorageOptions().JournalCompression;
    private static bool _compressed;
    private static readonly string[] Known = ["S1", "S2", "S3", "S4", "S4r", "S5", "D1", "D1i"];

    public static async Task<int> RunAsync(string[] arguments)
    {
        var folder = Path.Combine(Path.GetTempPath(), $"pipeline-benchmarks-{Environment.ProcessId}");
        var items = 1_000_000;
        string? data = null;
        var workloads = new List<string>();
        for (var i = 0; i < arguments.Length; i++)
        {
            if (arguments[i] == "--path" && i + 1 < arguments.Length)
            {
                folder = Path.Combine(arguments[++i], "pipeline-benchmarks");
            }
            else if (
                arguments[i] == "--items"
                && i + 1 < arguments.Length
                && int.TryParse(arguments[i + 1], CultureInfo.InvariantCulture, out items)
                && items > 0
            )
            {
                i++;
            }
            else if (arguments[i] == "--encrypted")
            {
                _encryption = new StorageEncryption { Key = new byte[32], MaxPlainBytes = 1L << 30 };
            }
            else if (arguments[i] == "--data" && i + 1 < arguments.Length)
            {
                data = arguments[++i];
            }
            else if (arguments[i] == "--compressed")
            {
                _compressed = true;
            }
            else if (
                arguments[i] == "--journal"
                && i + 1 < arguments.Length
                && Enum.TryParse(arguments[i + 1], ignoreCase: true, out _journal)
            )
            {
                i++;
            }
            else if (Known.Contains(arguments[i]))
            {
                workloads.Add(arguments[i]);
            }
            else
            {
                throw new BenchmarkException(
                    $"'{arguments[i]}' is not an argument; workloads: {string.Join(' ', Known)}; --path FOLDER, --data FOLDER, --items N, --encrypted, --compressed, --journal off|auto|on"
                );
            }
        }

        Generator.Check();
        try
        {
            foreach (var workload in workloads.Count == 0 ? Known : [.. workloads])
            {
                if (workload[0] == 'D')
                {
                    await DocumentBenchmarks.RunAsync([
                        workload,
                        "--path",
                        folder,
                        .. _compressed ? new[] { "--compressed" } : [],
                        .. data is null ? [] : new[] { "--data", data },
                    ]);
                }
                else
                {
                    Run(workload, folder, items);
                }
            }
        }
        finally
        {
            if (Directory.Exists(folder))
                Directory.Delete(folder, recursive: true);
        }

        return 0;
    }

    private static void Run(string workload, string folder, int items)
    {
        var main = Path.Combine(folder, "S1");
        if (workload is "S4" or "S4r" or "S5" && !Directory.Exists(main))
            LoadWorkloads.S1(main, items);
        switch (workload)
        {
            case "S1" when _compressed:
                LoadWorkloads.S1Compressed(Path.Combine(folder, "S1c"), items);
                break;
            case "S1":
                LoadWorkloads.S1(main, items);
                break;
            case "S2":
                LoadWorkloads.S2(Path.Combine(folder, "S2"), Math.Min(items, 200_000));
                break;
            case "S3":
                ConcurrentWrites.Run(Path.Combine(folder, "S3"));
                break;
            case "S4":
                PointReads.Run(main, "pipeline", items, threads: 1, readsPerSnapshot: 1000);
                PointReads.Run(main, "pipeline", items, threads: 2, readsPerSnapshot: 1000);
                break;
            case "S4r":
                PointReads.Run(main, "pipeline-txn-per-read", items, threads: 1, readsPerSnapshot: 1);
                PointReads.Run(main, "pipeline-txn-per-read", items, threads: 2, readsPerSnapshot: 1);
                break;
            default:
                FullScan.Run(main, "pipeline", items);
                break;
        }
    }

    internal const string TreeName = "kv";

    internal static StorageEnvironment Open(string folder) =>
        StorageEnvironment.Open(
            new StorageOptions
            {
                Path = folder,
                Encryption = _encryption,
                JournalCompression = _journal,
            }
        );
}
