using System.Text;
using Pipeline.Database;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.Subscriptions;
using Xunit;
using ConcurrencyException = Pipeline.Client.ConcurrencyException;

namespace Pipeline.Client.Tests.Advanced;

/// <summary>Files of documents, in the process and over HTTP.</summary>
public sealed class AttachmentTests
{
    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task What_is_stored_is_listed_read_and_deleted(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(
            isRemote,
            new DocumentStoreOptions { UseOptimisticConcurrency = true }
        );
        var large = new byte[2_000_000];
        new Random(7).NextBytes(large);
        await using (var session = f.Store.OpenSession())
        {
            var order = new Order { Customer = "Ann" };
            session.Store(order);
            using var content = new MemoryStream(large);
            using var note = Text("read me");
            session.Advanced.Attachments.Store(order, "Scan ø.pdf", content, "application/pdf");
            session.Advanced.Attachments.Store(order, "note", note);
            Assert.True(session.Advanced.HasChanges);
            await session.SaveChangesAsync();
            Assert.True(content.CanRead);
            Assert.Equal(1, session.Advanced.RequestCount);
            order.Customer = "Bob";
            await session.SaveChangesAsync();
        }

        await using (var session = f.Store.OpenSession())
        {
            var files = session.Advanced.Attachments;
            var list = await files.ListAsync("orders/1-A");
            Assert.Equal(
                [("note", "application/octet-stream", 7L), ("Scan ø.pdf", "application/pdf", 2_000_000L)],
                list.Select(a => (a.Name, a.ContentType, a.Size))
            );
            await using (var open = (await files.OpenAsync("orders/1-a", "scan Ø.PDF"))!)
            {
                Assert.Equal(list[1], open.Info);
                using var copy = new MemoryStream();
                await open.Content.CopyToAsync(copy);
                Assert.Equal(large, copy.ToArray());
            }

            Assert.Equal("read me", await ReadAsync(session, "orders/1-A", "note"));
            var order = (await session.LoadAsync<Order>("orders/1-A"))!;
            files.Delete(order, "scan ø.pdf");
            await session.SaveChangesAsync();
            Assert.Null(await files.OpenAsync("orders/1-A", "Scan ø.pdf"));
            Assert.Equal("note", Assert.Single(await files.ListAsync("orders/1-A")).Name);
            order.Customer = "Cid";
            await session.SaveChangesAsync();
            Assert.Single(await files.ListAsync("orders/1-A"));
            files.Delete("orders/1-A", "none");
            await session.SaveChangesAsync();
            Assert.Empty(await files.ListAsync("orders/none"));
            Assert.Null(await files.OpenAsync("orders/none", "note"));
        }
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Attachments_are_copied_and_moved(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(
            isRemote,
            new DocumentStoreOptions { UseOptimisticConcurrency = true }
        );
        await f.StoreOrdersAsync(2);
        await using var session = f.Store.OpenSession();
        var (first, second) = (
            (await session.LoadAsync<Order>("orders/0"))!,
            (await session.LoadAsync<Order>("orders/1"))!
        );
        var files = session.Advanced.Attachments;
        using var a = Text("a");
        files.Store("orders/0", "a", a);
        await session.SaveChangesAsync();
        files.Copy("orders/0", "a", "orders/1", "b");
        files.Move("orders/0", "a", "orders/0", "c");
        await session.SaveChangesAsync();
        Assert.Equal("c", Assert.Single(await files.ListAsync("orders/0")).Name);
        Assert.Equal("a", await ReadAsync(session, "orders/1", "b"));
        files.Move("orders/0", "c", "orders/1", "c");
        await session.SaveChangesAsync();
        Assert.Equal(["b", "c"], (await files.ListAsync("orders/1")).Select(x => x.Name));
        (first.Count, second.Count) = (1, 1);
        await session.SaveChangesAsync();
        Assert.Throws<ArgumentException>(() => files.Move("orders/1", "c", "ORDERS/1", "C"));
        files.Copy("orders/1", "b", "orders/1", "c");
        await Assert.ThrowsAnyAsync<PipelineClientException>(() => session.SaveChangesAsync());
        Assert.Equal(["b", "c"], (await files.ListAsync("orders/1")).Select(x => x.Name));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_save_that_fails_stores_no_attachment_and_can_be_repeated(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(
            isRemote,
            new DocumentStoreOptions { UseOptimisticConcurrency = true }
        );
        await f.StoreOrdersAsync(1);
        await using var session = f.Store.OpenSession();
        var order = (await session.LoadAsync<Order>("orders/0"))!;
        await using (var other = f.Store.OpenSession())
        {
            (await other.LoadAsync<Order>("orders/0"))!.Count = 1;
            await other.SaveChangesAsync();
        }

        order.Count = 2;
        using var content = Text("xread me");
        content.Position = 1;
        session.Advanced.Attachments.Store(order, "note", content);
        await Assert.ThrowsAsync<ConcurrencyException>(() => session.SaveChangesAsync());
        Assert.Empty(await session.Advanced.Attachments.ListAsync("orders/0"));
        session.Advanced.Evict(order);
        await session.SaveChangesAsync();
        Assert.Equal("read me", await ReadAsync(session, "orders/0", "note"));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task An_attachment_needs_its_document(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await using var session = f.Store.OpenSession();
        session.Store(new Order { Id = "orders/1" });
        using var once = new OneWayStream(Encoding.UTF8.GetBytes("x"));
        session.Advanced.Attachments.Store("orders/none", "note", once);
        Assert.Contains(
            "orders/none",
            (await Assert.ThrowsAsync<AttachmentSaveException>(() => session.SaveChangesAsync())).Message,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "cannot seek",
            (await Assert.ThrowsAsync<InvalidOperationException>(() => session.SaveChangesAsync())).Message,
            StringComparison.Ordinal
        );
        await using var other = f.Store.OpenSession();
        Assert.Null(await other.LoadAsync<Order>("orders/1"));
        other.Store(new Order { Id = "orders/1" });
        other.Advanced.Attachments.Copy("orders/1", "none", "orders/1", "note");
        await Assert.ThrowsAsync<AttachmentSaveException>(() => other.SaveChangesAsync());
    }

    [Fact]
    public async Task A_content_that_is_too_large_is_refused()
    {
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions { Name = "shop", MaxAttachmentBytes = 1_000 }
        );
        await using var host = SubscriptionHost.Open(database);
        await using var embedded = database.AsStore(host);
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions { Shared = [new SharedDatabase(database, host)] }
        );
        await using var remote = DocumentStore.Connect(server.Url.ToString(), "shop");
        foreach (var store in new[] { embedded, remote })
        {
            await using var session = store.OpenSession();
            session.Store(new Order { Id = "orders/1" });
            using var content = Text(new string('x', 1_001));
            session.Advanced.Attachments.Store("orders/1", "note", content);
            Assert.Contains(
                "1,000",
                (await Assert.ThrowsAsync<AttachmentSaveException>(() => session.SaveChangesAsync())).Message,
                StringComparison.Ordinal
            );
            session.Advanced.Clear();
            Assert.Null(await session.LoadAsync<Order>("orders/1"));
        }
    }

    private static async Task<string> ReadAsync(IDocumentSession session, string id, string name)
    {
        await using var open = (await session.Advanced.Attachments.OpenAsync(id, name))!;
        using var reader = new StreamReader(open.Content);
        return await reader.ReadToEndAsync();
    }

    private static MemoryStream Text(string text) => new(Encoding.UTF8.GetBytes(text));

    private sealed class OneWayStream(byte[] content) : MemoryStream(content)
    {
        public override bool CanSeek => false;
    }
}
