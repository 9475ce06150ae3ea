using System.Text;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Indexing.Tests;

/// <summary>A batch reports that it is full before it exceeds its bound, whatever is put into it.</summary>
public sealed class BatchMemoryTests
{
    private static readonly string[] Words = [.. Enumerable.Range(0, 500).Select(i => $"word{i}")];

    [Theory]
    [InlineData("new words")]
    [InlineData("known words")]
    [InlineData("long texts")]
    [InlineData("numbers")]
    [InlineData("values")]
    [InlineData("fields")]
    [InlineData("ids")]
    [InlineData("deletions")]
    [InlineData("stored")]
    public void A_full_batch_is_within_its_bound(string input)
    {
        foreach (var kilobytes in new[] { 512, 1024, 5000 })
            Fill(input, kilobytes);
    }

    private static void Fill(string input, int kilobytes)
    {
        var bound = kilobytes * 1024L;
        using var environment = StorageEnvironment.Open(new StorageOptions());
        using var store = IndexStore.Open(environment, new IndexOptions { MaxBatchBytes = bound });
        var fields = Enumerable
            .Range(0, 40)
            .Select(i =>
                store.Field($"f{i}", new FieldOptions { Indexing = i < 3 ? TermForm.Search : TermForm.Default })
            )
            .ToArray();
        var random = new Random(kilobytes);
        var made = 0;
        for (var round = 0; round < 3; round++)
        {
            using var batch = store.NewBatch();
            var added = 0;
            for (; added == 0 || !batch.IsFull; added++)
            {
                Add(input, batch, fields, random, ref made);
                Assert.True(batch.MemoryBytes <= bound, $"{batch.MemoryBytes} bytes after {added} entries");
            }

            Assert.True(batch.MemoryBytes >= bound / 4, $"full with {batch.MemoryBytes} bytes");
            Assert.True(added > 1);
        }
    }

    private static void Add(string input, IndexBatch batch, IndexField[] fields, Random random, ref int made)
    {
        var id = Encoding.UTF8.GetBytes($"documents/{++made}");
        if (input == "deletions")
        {
            batch.Delete(id);
            return;
        }

        var entry = batch.Begin(id);
        switch (input)
        {
            case "new words":
                entry.AddText(
                    fields[0],
                    Encoding.UTF8.GetBytes(
                        string.Join(' ', Enumerable.Range(0, random.Next(1, 40)).Select(_ => $"{random.Next():x}"))
                    )
                );
                break;
            case "known words":
                entry.AddText(
                    fields[1],
                    Encoding.UTF8.GetBytes(string.Join(' ', random.GetItems(Words, random.Next(1, 60))))
                );
                break;
            case "long texts":
                entry.AddText(
                    fields[2],
                    Encoding.UTF8.GetBytes(
                        string.Join(' ', Enumerable.Range(0, 600).Select(_ => $"{random.Next(50_000):x}"))
                    )
                );
                break;
            case "numbers":
                for (var i = 0; i < random.Next(20); i++)
                    entry.AddLong(fields[3], random.Next());
                break;
            case "values":
                for (var i = 0; i < random.Next(20); i++)
                    entry.AddText(fields[4], Encoding.UTF8.GetBytes(random.GetItems(Words, 1)[0]));
                break;
            case "fields":
                for (var i = random.Next(20); i < fields.Length; i++)
                    entry.AddText(fields[i], Encoding.UTF8.GetBytes($"{random.Next(1000)}"));
                break;
            case "stored":
                entry.SetStored(new byte[random.Next(3000)]);
                break;
        }

        entry.End();
    }
}
