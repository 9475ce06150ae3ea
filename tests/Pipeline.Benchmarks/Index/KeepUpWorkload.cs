using System.Text;
using System.Text.Json.Nodes;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Indexing;

namespace Pipeline.Benchmarks.Index;

/// <summary>
/// Whether an index keeps up: all films are inserted in bulk into a database that indexes them by text and by year. The
/// clock stops when the index is current.
/// </summary>
public static class KeepUpWorkload
{
    private const string Name = "Films/Text";

    /// <summary>
    /// Inserts the films without and with the index and reports documents a second, and how long after the last write
    /// the index was current.
    /// </summary>
    public static async Task RunAsync(string path, List<byte[]> lines, int copies)
    {
        foreach (var isIndexed in new[] { false, true })
        {
            Folders.Wipe(path);
            await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "films", Path = path });
            if (isIndexed)
                await database.Indexes.PutAsync(Definition());
            var peer = isIndexed ? "pipeline" : "pipeline-no-index";
            var clock = new Clock();
            await using (var insert = database.BeginBulkInsert())
            {
                for (var i = 0; i < lines.Count * copies; i++)
                    await insert.StoreAsync($"films/{i}", lines[i % lines.Count]);
                await insert.CompleteAsync();
            }

            var inserted = clock.Seconds;
            Report.Figure("keep-up", peer, "insert", lines.Count * copies / inserted, "1/s");
            if (!isIndexed)
                continue;
            var behind = database.Indexes.Get(Name)!.Lag;
            if (!await database.Indexes.WaitAsync(Name, timeout: TimeSpan.FromMinutes(10)))
                throw new BenchmarkException("the index did not catch up in ten minutes");
            var (current, cpu) = (clock.Seconds, clock.CpuSeconds);
            var info = database.Indexes.Get(Name)!;
            if (info.Entries != lines.Count * copies)
                throw new BenchmarkException($"the index has {info.Entries} entries of {lines.Count * copies} films");
            Report.Figure("keep-up", peer, "behind", behind, "documents");
            Report.Figure("keep-up", peer, "current-after", current - inserted, "s");
            Report.Figure("keep-up", peer, "indexed", lines.Count * copies / current, "1/s");
            Report.Figure("keep-up", peer, "cpu", cpu, "s");
            var batches = database.Indexes.GetBatches(Name);
            Report.Remark(
                $"keep-up: the last {batches.Count} batches: map {Sum(b => b.MapTime):F1} s, commit {Sum(b => b.CommitTime):F1} s, waited for writers {Sum(b => b.ThrottledTime):F1} s"
            );

            double Sum(Func<IndexBatchStatistics, TimeSpan> time) => batches.Sum(b => time(b).TotalSeconds);
        }
    }

    /// <summary>A film as the database takes it: without the file's metadata, and in the collection Films.</summary>
    public static byte[] Document(byte[] line)
    {
        var film = JsonNode.Parse(line)!.AsObject();
        film["@metadata"] = new JsonObject { ["@collection"] = "Films" };
        return Encoding.UTF8.GetBytes(film.ToJsonString());
    }

    private static IndexDefinition Definition() =>
        new()
        {
            Name = Name,
            Maps = ["from f in docs.Films select new { f.Title, f.Extract, f.Cast, f.Genres, f.Year }"],
            Fields = new[] { "Title", "Extract", "Cast", "Genres" }.ToDictionary(
                f => f,
                _ => new IndexFieldDefinition { Indexing = TermForm.Search }
            ),
        };
}
