using System.Globalization;
using System.IO.Compression;
using System.Text;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.TestKit.Files;

namespace Pipeline.Benchmarks.Documents;

/// <summary>
/// Measures documents through the database's public API. Arguments (all by default):
/// `D1` and `D1i` store each document under its id, by position and by collection, with one durable commit per 1,000
/// documents. A database always keeps the two orders that D1i adds, so both do the same work. `parse` runs D1's loop
/// without storing; `feed` reads all changes in order, after the others. `--data FOLDER` holds cities.jsonl.gz and
/// movies.jsonl.gz (by default ../shared/data, next to the repository); `--path FOLDER` is for the store. `--documents
/// N` uses fewer documents; `--compressed` turns on compression.
/// </summary>
public static class DocumentBenchmarks
{
    private static string Peer => _compressed ? "pipeline-compressed" : "pipeline";

    private static readonly string[] Known = ["parse", "D1", "D1i", "feed"];
    private static bool _compressed;

    public static async Task<int> RunAsync(string[] arguments)
    {
        var path = Path.Combine(Path.GetTempPath(), $"pipeline-benchmarks-{Environment.ProcessId}");
        var data = Path.GetFullPath("../shared/data", RepositoryTree.Root);
        var most = int.MaxValue;
        var workloads = new List<string>();
        for (var i = 0; i < arguments.Length; i++)
        {
            if (arguments[i] == "--path" && i + 1 < arguments.Length)
            {
                path = Path.Combine(arguments[++i], "pipeline-benchmarks");
            }
            else if (arguments[i] == "--data" && i + 1 < arguments.Length)
            {
                data = arguments[++i];
            }
            else if (
                arguments[i] == "--documents"
                && i + 1 < arguments.Length
                && int.TryParse(arguments[i + 1], CultureInfo.InvariantCulture, out most)
                && most > 0
            )
            {
                i++;
            }
            else if (arguments[i] == "--compressed")
            {
                _compressed = true;
            }
            else if (Known.Contains(arguments[i]))
            {
                workloads.Add(arguments[i]);
            }
            else
            {
                throw new BenchmarkException(
                    $"'{arguments[i]}' is not an argument; workloads: {string.Join(' ', Known)}; --data FOLDER, --path FOLDER, --documents N, --compressed"
                );
            }
        }

        var lines = Lines(data, most);
        Report.Remark($"{lines.Count} documents, {lines.Sum(l => (long)l.Length)} bytes");
        if (workloads.Count == 0)
            workloads.AddRange(Known);
        if (workloads.Contains("parse"))
            Parse(lines);
        if (workloads.TrueForAll(w => w == "parse"))
            return 0;
        try
        {
            foreach (var workload in workloads.Where(w => w[0] == 'D').DefaultIfEmpty("D1i"))
                await StoreAsync(workload, path, lines);
            if (workloads.Contains("feed"))
                await ReadFeedAsync(path, lines.Count);
        }
        finally
        {
            if (Directory.Exists(path))
                Directory.Delete(path, recursive: true);
        }

        return 0;
    }

    private static void Parse(List<byte[]> lines)
    {
        for (var round = 0; round < 2; round++)
        {
            long bytes = 0;
            var clock = new Clock();
            foreach (var line in lines)
                bytes += DocumentDraft.Parse(line).Body.Data.Length;
            if (round == 0)
                continue;
            Report.Figure("D1", Peer + "-parse-only", "documents", lines.Count / clock.Seconds, "1/s");
            Report.Figure("D1", Peer + "-parse-only", "binary", bytes / 1e6, "MB");
        }
    }

    private static async Task StoreAsync(string workload, string path, List<byte[]> lines)
    {
        Folders.Wipe(path);
        var database = DocumentDatabase.Open(new DatabaseOptions { Path = path, Compress = _compressed });
        var clock = new Clock();
        await using (
            var insert = database.BeginBulkInsert(new BulkInsertOptions { BatchCount = 1000, BatchBytes = 64 << 20 })
        )
        {
            foreach (var line in lines)
                await insert.StoreAsync(null, line);
            await insert.CompleteAsync();
        }

        Report.Figure(workload, Peer, "documents", lines.Count / clock.Seconds, "1/s");
        Report.Figure(workload, Peer, "cpu", clock.CpuSeconds, "s");
        var closing = new Clock();
        await database.DisposeAsync();
        Report.Figure(workload, Peer, "settle+close", closing.Seconds, "s");
        Report.Figure(workload, Peer, "disk", Folders.AllocatedBytes(path) / 1e6, "MB");
        await VerifyAsync(path, lines);
    }

    private static async Task VerifyAsync(string path, List<byte[]> lines)
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Path = path });
        using var snapshot = database.OpenSnapshot();
        var figures = snapshot.GetStatistics();
        if (figures.Documents != lines.Count)
            throw new BenchmarkException($"{figures.Documents} documents were found, {lines.Count} were stored");
        for (var i = 0; i < lines.Count; i += 997)
        {
            var draft = DocumentDraft.Parse(lines[i]);
            if (
                !snapshot.TryGet(draft.Id!, out var document)
                || document.Collection != draft.Collection
                || document.Body.ToString() != draft.Body.ToString()
            )
            {
                throw new BenchmarkException($"'{draft.Id}' is not as it was stored");
            }
        }
    }

    private static async Task ReadFeedAsync(string path, int count)
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Path = path });
        for (var round = 0; round < 2; round++)
        {
            var clock = new Clock();
            long after = 0,
                seen = 0,
                bytes = 0;
            var more = true;
            while (more)
            {
                using var snapshot = database.OpenSnapshot();
                using var batch = snapshot.ReadChanges(after, ChangeFilter.All);
                seen += batch.Count;
                bytes += batch.Bytes;
                after = batch.Through;
                more = batch.HasMore;
            }

            if (seen != count)
                throw new BenchmarkException($"the feed has {seen} changes, {count} documents were stored");
            if (round == 0)
                continue;
            Report.Figure("feed", Peer, "documents", seen / clock.Seconds, "1/s");
            Report.Figure("feed", Peer, "bytes", bytes / clock.Seconds / 1e6, "MB/s");
        }
    }

    /// <summary>The cities four times over, their ids told apart by the copy's digit, then the films.</summary>
    private static List<byte[]> Lines(string folder, int most)
    {
        var cities = Read(Path.Combine(folder, "cities.jsonl.gz"), most);
        var all = new List<byte[]>();
        for (var copy = 0; copy < 4; copy++)
        {
            foreach (var line in cities)
            {
                if (all.Count == most)
                    return all;
                var end = line.AsSpan().IndexOf("\",\"@collection\""u8);
                all.Add([.. line.AsSpan(0, end), .. Encoding.ASCII.GetBytes($"-{copy}"), .. line.AsSpan(end)]);
            }
        }

        all.AddRange(Read(Path.Combine(folder, "movies.jsonl.gz"), most - all.Count));
        return all;
    }

    private static List<byte[]> Read(string path, int most)
    {
        if (!File.Exists(path))
            throw new BenchmarkException($"{path} is missing; set its folder with --data FOLDER");
        using var reader = new StreamReader(
            new GZipStream(File.OpenRead(path), CompressionMode.Decompress),
            new UTF8Encoding(false, true)
        );
        var lines = new List<byte[]>();
        while (lines.Count < most && reader.ReadLine() is { } line)
        {
            if (line.Length > 0)
                lines.Add(Encoding.UTF8.GetBytes(line));
        }

        return lines;
    }
}
