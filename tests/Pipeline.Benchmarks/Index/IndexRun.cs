using System.Text;
using Pipeline.Indexing;
using Pipeline.Storage;

namespace Pipeline.Benchmarks.Index;

/// <summary>One indexing of a collection into a new store, with its figures.</summary>
public sealed class IndexRun : IAsyncDisposable
{
    private readonly string _path;
    private readonly string _workload;
    private readonly string _peer;
    private readonly string _prefix;
    private readonly StorageEnvironment _environment;

    /// <param name="path">The store's folder, emptied.</param>
    /// <param name="workload">The workload.</param>
    /// <param name="peer">The peer.</param>
    /// <param name="prefix">Goes before the names of the figures where the workload has others too.</param>
    public IndexRun(string path, string workload, string peer, string prefix = "")
    {
        (_path, _workload, _peer, _prefix) = (path, workload, peer, prefix);
        Folders.Wipe(path);
        _environment = StorageEnvironment.Open(new StorageOptions { Path = path });
        Store = IndexStore.Open(_environment);
    }

    public IndexStore Store { get; }

    /// <summary>
    /// Fills as many batches as there are threads, commits them and opens a reader: all of it within the clock.
    /// </summary>
    public async Task IndexAsync(int threads, Action<IndexStore, IndexBatch[]> fill)
    {
        var clock = new Clock();
        var batches = Enumerable.Range(0, threads).Select(_ => Store.NewBatch()).ToArray();
        fill(Store, batches);
        Report.Remark(
            $"{_workload} {_peer}: inverted after {clock.Seconds:F3} s, cpu {clock.CpuSeconds:F3} s, batches of {batches.Sum(b => b.MemoryBytes) / 1e6:F1} MB"
        );
        await Store.CommitAsync(batches, 1);
        using (Store.OpenReader())
        {
            var (wall, cpu) = (clock.Seconds, clock.CpuSeconds);
            Report.Figure(_workload, _peer, _prefix + "wall", wall, "s");
            Report.Figure(_workload, _peer, _prefix + "docs", batches.Sum(b => b.EntryCount) / wall, "1/s");
            Report.Figure(_workload, _peer, _prefix + "cpu", cpu, "s");
        }

        foreach (var batch in batches)
            batch.Dispose();
        Report.Figure(_workload, _peer, _prefix + "peak-memory", Environment.WorkingSet / 1e6, "MB");
    }

    /// <summary>Makes sure that entries and a term are there.</summary>
    public void Check(int entries, string field, string term)
    {
        using var reader = Store.OpenReader();
        if (reader.LiveCount != entries)
            throw new BenchmarkException($"{reader.LiveCount} entries were found, {entries} were indexed");
        var list =
            reader.OpenPostings(Store.Field(field), Encoding.UTF8.GetBytes(term))
            ?? throw new BenchmarkException($"{field} has no '{term}'");
        var count = 0;
        while (list.Next() != EntryIterator.End)
            count++;
        if (count != list.Cost)
            throw new BenchmarkException($"the list of '{term}' has {count} entries, the dictionary says {list.Cost}");
        Report.Remark($"check {_workload} {_peer}: {entries} entries, '{term}' in {count}");
    }

    public ValueTask DisposeAsync()
    {
        var clock = new Clock();
        Store.Dispose();
        _environment.Dispose();
        Report.Figure(_workload, _peer, _prefix + "settle+close", clock.Seconds, "s");
        Report.Figure(_workload, _peer, _prefix + "disk", Folders.AllocatedBytes(_path) / 1e6, "MB");
        return ValueTask.CompletedTask;
    }
}
