using System.Globalization;
using System.IO.Compression;
using System.Text;
using Pipeline.Indexing;
using Pipeline.Storage;

namespace Pipeline.Benchmarks.Index;

/// <summary>
/// Indexes the films within a memory budget; a full batch is committed. The films are read on demand.
/// <c>batch-peak</c> is the most memory that a batch held, by its own account. Next to it is the process's peak by the
/// kernel's account, with the runtime, the mapped pages of the store and the memory that a commit needs.
/// </summary>
public static class IndexingMemory
{
    private const int Copies = 5;

    public static async Task RunAsync(string path, string films, int megabytes)
    {
        Folders.Wipe(path);
        var (peer, budget) = ($"pipeline-{megabytes}MB", (long)megabytes << 20);
        using var environment = StorageEnvironment.Open(new StorageOptions { Path = path });
        using var store = IndexStore.Open(environment, new IndexOptions { MaxBatchBytes = budget });
        var (peak, committing, entries, commits) = (0L, 0L, 0L, 0);
        var batch = store.NewBatch();
        var reader = new FilmReader(store, batch);
        try
        {
            for (var copy = 0; copy < Copies; copy++)
            {
                foreach (var line in Lines(films))
                {
                    reader.Add(line, copy);
                    if ((++entries & 63) == 0)
                        peak = Math.Max(peak, batch.MemoryBytes);
                    if (!batch.IsFull)
                        continue;
                    await CommitAsync();
                    batch.Dispose();
                    batch = store.NewBatch();
                    reader = new FilmReader(store, batch);
                }
            }

            await CommitAsync();
        }
        finally
        {
            batch.Dispose();
        }

        using (var snapshot = store.OpenReader())
        {
            if (snapshot.LiveCount != entries)
                throw new BenchmarkException($"{snapshot.LiveCount} entries were found, {entries} were indexed");
        }

        Report.Figure("memory", peer, "batch-peak", peak / 1e6, "MB");
        Report.Figure("memory", peer, "anonymous-peak", committing / 1e6, "MB");
        Report.Figure("memory", peer, "rss-peak", Status("VmHWM") / 1e6, "MB");
        Report.Figure("memory", peer, "commits", commits, "n");
        // The last entry may go beyond, and memory is taken by pieces.
        const int Piece = 1 << 20;
        Report.Remark(
            $"check memory {peer}: {(peak <= budget ? "within" : peak <= budget + Piece ? "by less than 1 MiB beyond" : "BEYOND")} the budget of {budget / 1e6:F1} MB"
        );

        async Task CommitAsync()
        {
            peak = Math.Max(peak, batch.MemoryBytes);
            committing = Math.Max(committing, Status("RssAnon"));
            await store.CommitAsync([batch], entries);
            committing = Math.Max(committing, Status("RssAnon"));
            commits++;
        }
    }

    private static long Status(string name)
    {
        var line = File.ReadLines("/proc/self/status").First(l => l.StartsWith(name + ":", StringComparison.Ordinal));
        return long.Parse(line.AsSpan(name.Length + 1).Trim()[..^3], CultureInfo.InvariantCulture) * 1024;
    }

    private static IEnumerable<byte[]> Lines(string path)
    {
        using var reader = new StreamReader(
            new GZipStream(File.OpenRead(path), CompressionMode.Decompress),
            new UTF8Encoding(false, true)
        );
        while (reader.ReadLine() is { } line)
        {
            if (line.Length > 0)
                yield return Encoding.UTF8.GetBytes(line);
        }
    }
}
