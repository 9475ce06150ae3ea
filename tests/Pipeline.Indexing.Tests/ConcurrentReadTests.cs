using System.Text;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Indexing.Tests;

public sealed class ConcurrentReadTests
{
    /// <summary>
    /// Each commit replaces all documents by ones that have its number: whatever a reader finds must have one number,
    /// its progress.
    /// </summary>
    [Fact]
    public async Task A_reader_shows_one_commit_while_others_and_purges_go_on()
    {
        const int Commits = 30;
        const int Documents = 40;
        using var environment = StorageEnvironment.Open(new StorageOptions());
        using var store = IndexStore.Open(environment, new IndexOptions { MaxPurgeStepBytes = 4096 });
        var field = store.Field("Round");
        var text = store.Field("Text", new FieldOptions { Indexing = TermForm.Search });
        using var done = new CancellationTokenSource();
        var readers = Enumerable
            .Range(0, 2)
            .Select(_ => Task.Run(() => ReadUntil(store, field, text, done.Token)))
            .ToArray();
        for (var round = 1; round <= Commits; round++)
        {
            using var batch = store.NewBatch();
            for (var i = 0; i < Documents; i++)
            {
                var id = Encoding.UTF8.GetBytes($"docs/{i}");
                batch.Delete(id);
                var entry = batch.Begin(id);
                entry.AddLong(field, round);
                entry.AddText(text, Encoding.UTF8.GetBytes($"always round{round}"));
                entry.End();
            }

            await store.CommitAsync([batch], round);
            await store.PurgeStepAsync();
        }

        await done.CancelAsync();
        foreach (var reads in await Task.WhenAll(readers))
            Assert.True(reads > 0);
        Assert.Equal(0, environment.GetStatistics().Readers.Count(r => r.Age > TimeSpan.FromMinutes(5)));
    }

    private static int ReadUntil(IndexStore store, IndexField field, IndexField text, CancellationToken ct)
    {
        var reads = 0;
        for (; !ct.IsCancellationRequested || reads == 0; reads++)
        {
            using var reader = store.OpenReader();
            var round = reader.Progress;
            if (round == 0)
                continue;
            Assert.Equal(40, reader.LiveCount);
            Assert.Equal(40, IndexComparison.All(reader.OpenPostings(text, "always"u8), reader).Count);
            Assert.Equal(
                40,
                IndexComparison.All(reader.OpenPostings(text, Encoding.UTF8.GetBytes($"round{round}")), reader).Count
            );
            Assert.Equal(40, reader.OpenNumbers(field)!.Count(NumericKey.From(round), NumericKey.From(round)));
            Assert.Equal(40, reader.OpenNumbers(field)!.Count(NumericKey.Min, NumericKey.Max));
        }

        return reads;
    }
}
