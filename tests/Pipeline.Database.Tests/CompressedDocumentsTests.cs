using System.Globalization;
using Pipeline.Documents;
using Pipeline.Documents.Maintenance;
using Pipeline.Storage;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Database.Tests;

public sealed class CompressedDocumentsTests
{
    [SkippableFact]
    public async Task CompressedAndPlainDocumentsLieBesideEachOtherAndAllReadsGiveThem()
    {
        Skip.IfNot(Zstd.IsAvailable, "The zstd library is not here.");
        using var folder = new TestFolder();
        await LoadAsync(folder.Path, compress: false, 0, 500);
        await LoadAsync(folder.Path, compress: true, 400, 3000);
        Assert.Equal(3000, DatabaseCheck.Run(new DatabaseOptions { Path = folder.Path }).Documents);

        await using var database = DocumentDatabase.Open(new DatabaseOptions { Path = folder.Path });
        using var snapshot = database.OpenSnapshot();
        Assert.Equal(3000, snapshot.GetInIdOrder().Count());
        foreach (var document in snapshot.GetInIdOrder())
            Assert.Equal(Body(Number(document.Id)), document.Body.ToString());
        long after = 0;
        var changes = 0;
        while (true)
        {
            using var batch = snapshot.ReadChanges(
                after,
                ChangeFilter.Of(["Orders"], includeDeletes: false),
                new ChangeLimits(100, 20_000)
            );
            if (batch.Count == 0)
                break;
            Assert.True(batch.Bytes <= 20_000);
            foreach (var change in batch)
                Assert.Equal(Body(Number(change.Id)), change.Body.ToString());
            changes += batch.Count;
            after = batch.Through;
        }

        Assert.Equal(3000, changes);
    }

    [SkippableFact]
    public async Task TheyTakeLessThanHalfOfTheSpace()
    {
        Skip.IfNot(Zstd.IsAvailable, "The zstd library is not here.");
        using var folder = new TestFolder();
        string plain = Path.Combine(folder.Path, "plain"),
            small = Path.Combine(folder.Path, "small");
        await LoadAsync(plain, compress: false, 0, 8000);
        await LoadAsync(small, compress: true, 0, 8000);
        Assert.True(Pages(small) < Pages(plain) / 2, $"{Pages(small)} pages, plain {Pages(plain)}");
    }

    [SkippableFact]
    public async Task WhatNeedsALostDictionaryIsFoundByTheCheckAndListedBySalvage()
    {
        Skip.IfNot(Zstd.IsAvailable, "The zstd library is not here.");
        using var folder = new TestFolder();
        string made = Path.Combine(folder.Path, "made"),
            target = Path.Combine(folder.Path, "target");
        await LoadAsync(made, compress: true, 0, 3000);
        using (var storage = StorageEnvironment.Open(new StorageOptions { Path = made }))
            await storage.WriteAsync(t => t.DropTree("dictionaries"));

        var check = DatabaseCheck.Run(new DatabaseOptions { Path = made });
        Assert.InRange(check.ProblemCount, 1, 2999);
        Assert.Contains("has no dictionary 2 of group 1", check.Problems[0].Reason, StringComparison.Ordinal);

        var report = await DatabaseSalvage.RunAsync(
            new DatabaseOptions { Path = made },
            new DatabaseOptions { Path = target }
        );
        Assert.Equal(check.ProblemCount, report.LostDocuments.Count);
        Assert.Equal(3000 - check.ProblemCount, report.Documents);
        Assert.True(DatabaseCheck.Run(new DatabaseOptions { Path = target }).IsSound);
    }

    private static async Task LoadAsync(string path, bool compress, int from, int to)
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Path = path, Compress = compress });
        await using var insert = database.BeginBulkInsert();
        for (var i = from; i < to; i++)
        {
            await insert.StoreAsync(
                string.Create(CultureInfo.InvariantCulture, $"orders/{i}"),
                System.Text.Encoding.UTF8.GetBytes(Body(i)[..^1] + ""","@metadata":{"@collection":"Orders"}}""")
            );
        }

        await insert.CompleteAsync();
    }

    private static int Number(string id) => int.Parse(id.AsSpan(7), CultureInfo.InvariantCulture);

    private static string Body(int i) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $$"""{"Company":"companies/{{i % 91}}","Employee":"employees/{{i % 9}}","Freight":{{i % 977}}.25,"ShipTo":{"City":"{{(uint)i * 2654435761u % 1000}} ville","Country":"Brazil"},"Lines":[{"Product":"products/{{i % 77}}","Quantity":{{i % 13}}}]}"""
        );

    private static long Pages(string path)
    {
        using var storage = StorageEnvironment.Open(new StorageOptions { Path = path });
        using var read = storage.BeginRead();
        var tree = read.OpenTree("documents");
        return tree.LeafPages + tree.OverflowPages;
    }
}
