using System.Text;
using Pipeline.Database.Queries;
using Pipeline.Documents;
using Pipeline.Documents.Maintenance;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Database.Tests.Revisions;

/// <summary>Versions that are kept on demand, of documents whose versions are not kept otherwise.</summary>
public sealed class KeptRevisionTests
{
    [Fact]
    public async Task A_version_is_kept_on_demand_once_for_each_content_and_lasts()
    {
        using var folder = new TestFolder();
        await using (var db = DocumentDatabase.Open(new DatabaseOptions { Path = folder.Path }))
        {
            await PutAsync(db, 1);
            var kept = await db.WriteAsync(t => t.KeepRevision("ORDERS/1"));
            Assert.Equal(("Orders/1", 2L), (kept!.Id, kept.Position));
            Assert.Null(await db.WriteAsync(t => t.KeepRevision("orders/1")));
            await PutAsync(db, 2);
            await PutAsync(db, 3);
            Assert.NotNull((await db.ExecuteAsync(new DocumentBatch().KeepRevision("Orders/1")))[0].Put);
            using var snapshot = db.OpenSnapshot();
            Assert.Equal([3L, 3, 1], snapshot.GetRevisions("orders/1").Select(N));
            Assert.True(await db.DeleteAsync("orders/1"));
            var none = await Assert.ThrowsAsync<InvalidOperationException>(() =>
                db.WriteAsync(t => t.KeepRevision("orders/1"))
            );
            Assert.Contains("'orders/1'", none.Message, StringComparison.Ordinal);
        }

        var report = DatabaseCheck.Run(new DatabaseOptions { Path = folder.Path });
        Assert.True(report.IsSound, string.Join("; ", report.Problems));
    }

    [Fact]
    public async Task A_put_keeps_what_it_replaces_on_demand_and_only_with_its_version()
    {
        await using var db = TestDatabase.Open();
        var first = await PutAsync(db, 1);
        await Assert.ThrowsAsync<ConcurrencyException>(() =>
            db.ExecuteAsync(new DocumentBatch().Put("Orders/1", Draft(2), "A:9-x", keepsFormer: true))
        );
        await db.ExecuteAsync(new DocumentBatch().Put("Orders/1", Draft(2), first.ChangeVector, keepsFormer: true));
        await Assert.ThrowsAsync<InvalidOperationException>(() =>
            db.ExecuteAsync(new DocumentBatch().Put("Orders/2", Draft(1), keepsFormer: true))
        );
        using var snapshot = db.OpenSnapshot();
        Assert.Equal([2L, 1], snapshot.GetRevisions("orders/1").Select(N));
        Assert.False(snapshot.TryGet("orders/2", out _));
    }

    [Fact]
    public async Task Where_versions_are_kept_anyway_there_is_nothing_to_do()
    {
        await using var db = TestDatabase.Open();
        await db.Revisions.ConfigureAsync(new RevisionConfiguration { Default = new RevisionPolicy() });
        await PutAsync(db, 1);
        Assert.Null(await db.WriteAsync(t => t.KeepRevision("orders/1")));
        await db.ExecuteAsync(new DocumentBatch().Put("Orders/1", Draft(2), keepsFormer: true));
        using var snapshot = db.OpenSnapshot();
        Assert.Equal([2L, 1], snapshot.GetRevisions("orders/1").Select(N));
    }

    [Fact]
    public async Task A_query_includes_versions_and_compare_exchange_values()
    {
        await using var db = TestDatabase.Open();
        await db.Revisions.ConfigureAsync(new RevisionConfiguration { Default = new RevisionPolicy() });
        var first = await PutAsync(db, 1);
        await db.WriteAsync(t => t.PutCompareExchange("keys/a", Pipeline.Json.BinaryJson.Parse("7"u8), 0));
        await db.PutAsync(
            "Orders/2",
            Encoding.UTF8.GetBytes(
                $$$"""{"Version":"{{{first.ChangeVector}}}","Key":"keys/a","@metadata":{"@collection":"Orders"}}"""
            )
        );

        var result = await db.QueryAsync(
            new QueryRequest(
                "from Orders as o where id() = 'orders/2' include revisions('Version'), revisions($at), cmpxchg(o.Key), cmpxchg('None')"
            )
            {
                Parameters = new QueryParameters([new("at", "2026-01-02T03:04:06Z")]),
            }
        );

        Assert.Equal(
            [("Orders/1", false), ("Orders/2", true)],
            result.RevisionIncludes.Select(r => (r.Id, r.Before is not null))
        );
        Assert.Equal(first.ChangeVector, result.RevisionIncludes[0].ChangeVector);
        Assert.Equal("7", result.CompareExchangeIncludes["KEYS/A"]!.Value.ToString());

        // A value is no change of a document, and a new result all the same.
        var again = new QueryRequest("from Orders include cmpxchg('Key')");
        again = again with { IfNoneMatch = (await db.QueryAsync(again)).ETag };
        Assert.True((await db.QueryAsync(again)).IsNotModified);
        await db.WriteAsync(t => t.PutCompareExchange("other", Pipeline.Json.BinaryJson.Parse("8"u8), 0));
        Assert.False((await db.QueryAsync(again)).IsNotModified);
    }

    private static long N(Document document) => document.Body.Root["N"].GetInt64();

    private static DocumentDraft Draft(int n) =>
        DocumentDraft.Parse(Encoding.UTF8.GetBytes($$$"""{"N":{{{n}}},"@metadata":{"@collection":"Orders"}}"""));

    private static async Task<PutResult> PutAsync(DocumentDatabase db, int n) =>
        (await db.ExecuteAsync(new DocumentBatch().Put("Orders/1", Draft(n))))[0].Put!;
}
