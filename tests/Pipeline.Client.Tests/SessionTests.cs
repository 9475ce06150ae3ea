using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>The unit of work, in the process and over HTTP.</summary>
public sealed partial class SessionTests
{
    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task What_is_stored_is_loaded_changed_and_deleted(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await using (var session = f.Store.OpenSession())
        {
            var order = new Order
            {
                Customer = "Ann",
                Total = 12.50m,
                State = OrderState.Paid,
                Day = new DateOnly(2026, 1, 2),
                Lines = [new Line("tea", 2.5m, 5)],
                ShipTo = new Address("Oslo", null),
            };
            session.Store(order);
            session.Store(new Company("companies/1", "Tea & Co"));
            Assert.Null(order.Id);
            await session.SaveChangesAsync();
            Assert.Equal("orders/1-A", order.Id);
            Assert.NotNull(session.Advanced.GetChangeVector(order));
            Assert.False(session.Advanced.HasChanges);
            Assert.Same(order, await session.LoadAsync<Order>("orders/1-A"));
        }

        Assert.Equal(
            """{"Customer":"Ann","Company":null,"Total":12.50,"Count":0,"Weight":null,"IsUrgent":false,"State":"Paid","Day":"2026-01-02","At":"0001-01-01T00:00:00","ShipTo":{"City":"Oslo","Street":null},"Tags":[],"Lines":[{"Product":"tea","Price":2.5,"Quantity":5}]}""",
            Body(f, "orders/1-A")
        );
        await using (var session = f.Store.OpenSession())
        {
            var order = (await session.LoadAsync<Order>("ORDERS/1-a"))!;
            Assert.Equal(
                ("orders/1-A", 12.50m, OrderState.Paid, "Oslo"),
                (order.Id, order.Total, order.State, order.ShipTo!.City)
            );
            order.Lines.Add(new Line("milk", 1, 1));
            Assert.True(session.Advanced.HasChanged(order));
            Assert.Equal("Tea & Co", (await session.LoadAsync<Company>("companies/1"))!.Name);
            session.Delete("companies/1");
            Assert.Null(await session.LoadAsync<Company>("companies/1"));
            await session.SaveChangesAsync();
            var requests = session.Advanced.RequestCount;
            await session.SaveChangesAsync();
            Assert.Equal(requests, session.Advanced.RequestCount);
        }

        await using (var session = f.Store.OpenSession())
        {
            Assert.Null(await session.LoadAsync<Company>("companies/1"));
            Assert.Equal(2, (await session.LoadAsync<Order>("orders/1-A"))!.Lines.Count);
        }
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Members_that_the_class_does_not_know_are_kept(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.Database.PutAsync(
            "orders/1",
            Encoding.UTF8.GetBytes(
                """
                {"Note":"n","Customer":"Ann","Total":14.0,"ShipTo":{"City":"Oslo","Zone":3},"Lines":[{"Product":"a","Price":1.0,"Quantity":1,"Sku":"s1"},{"Product":"b","Price":1,"Quantity":2,"Sku":"s2"}],"@metadata":{"@collection":"Orders","Mine":[1]}}
                """
            )
        );
        await f.Database.PutAsync(
            "orders/2",
            """{"Id":"mine","Count":2,"@metadata":{"@collection":"Orders"}}"""u8.ToArray()
        );
        await using var session = f.Store.OpenSession();
        Assert.Equal(
            ("orders/2", 2),
            await session.LoadAsync<Order>("orders/2") is { } second ? (second.Id, second.Count) : default
        );
        var order = (await session.LoadAsync<Order>("orders/1"))!;
        Assert.False(session.Advanced.HasChanges);
        order.Lines.RemoveAt(0);
        order.ShipTo = order.ShipTo! with { City = "Bergen" };
        await session.SaveChangesAsync();
        using var json = JsonDocument.Parse(Body(f, "orders/1"));
        Assert.Equal("n", json.RootElement.GetProperty("Note").GetString());
        Assert.Equal(
            """{"City":"Bergen","Street":null,"Zone":3}""",
            json.RootElement.GetProperty("ShipTo").GetRawText()
        );
        Assert.Equal(
            """[{"Product":"b","Price":1,"Quantity":2,"Sku":"s2"}]""",
            json.RootElement.GetProperty("Lines").GetRawText()
        );
        Assert.Equal("[1]", session.Advanced.GetMetadata(order)["Mine"]!.ToJsonString());
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_version_that_others_changed_is_not_overwritten(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(
            isRemote,
            new DocumentStoreOptions { UseOptimisticConcurrency = true }
        );
        await using var a = f.Store.OpenSession();
        var order = new Order { Id = "orders/x", Customer = "Ann" };
        a.Store(order);
        await a.SaveChangesAsync();
        await using var b = f.Store.OpenSession();
        (await b.LoadAsync<Order>("orders/x"))!.Customer = "Bob";
        await b.SaveChangesAsync();
        order.Customer = "Cid";
        a.Store(new Order { Id = "orders/y" });
        await Assert.ThrowsAsync<ConcurrencyException>(() => a.SaveChangesAsync());
        Assert.Contains("Bob", Body(f, "orders/x"), StringComparison.Ordinal);
        Assert.Equal("", Body(f, "orders/y"));
        var fresh = await a.Advanced.RefreshAsync(order);
        Assert.Equal("Bob", fresh!.Customer);
        fresh.Customer = "Cid";
        await a.SaveChangesAsync();
        Assert.Contains("Cid", Body(f, "orders/x"), StringComparison.Ordinal);
        await using var c = f.Store.OpenSession();
        c.Store(new Order { Id = "orders/x" });
        await Assert.ThrowsAsync<ConcurrencyException>(() => c.SaveChangesAsync());
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Queries_see_what_the_store_wrote_and_deleted(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        for (var i = 1; i <= 20; i++)
        {
            await using var session = f.Store.OpenSession();
            session.Store(new Order { Id = $"orders/{i}", Count = i });
            await session.SaveChangesAsync();
            Assert.Equal(1, await session.Query<Order>().CountAsync(o => o.Count == i));
            session.Delete($"orders/{i}");
            await session.SaveChangesAsync();
            Assert.False(await session.Query<Order>().AnyAsync(o => o.Count > 0));
        }
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Included_documents_need_no_request(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await using (var writer = f.Store.OpenSession())
        {
            for (var i = 1; i <= 3; i++)
                writer.Store(new Company($"companies/{i}", $"C{i}"));
            writer.Store(
                new Order
                {
                    Id = "orders/1",
                    Company = "companies/1",
                    Lines = [new Line("companies/2", 1, 1), new Line("companies/3", 1, 1)],
                }
            );
            await writer.SaveChangesAsync();
        }

        await using var session = f.Store.OpenSession();
        var order = await session
            .Include<Order>(o => o.Company)
            .Include(o => o.Lines.Select(l => l.Product))
            .LoadAsync("orders/1");
        Assert.Equal(1, session.Advanced.RequestCount);
        Assert.Equal("C1", (await session.LoadAsync<Company>(order!.Company!))!.Name);
        Assert.Equal(
            ["C2", "C3"],
            (await session.LoadAsync<Company>(order.Lines.Select(l => l.Product))).Values.Select(c => c!.Name).Order()
        );
        Assert.Equal(1, session.Advanced.RequestCount);
        await using var deleting = f.Store.OpenSession();
        await deleting.Include<Order>(o => o.Company).LoadAsync("orders/1");
        deleting.Delete("companies/1");
        await deleting.SaveChangesAsync();
        Assert.Null(await deleting.LoadAsync<Company>("companies/1"));
        deleting.Store(new Company("companies/1", "C1"));
        await deleting.SaveChangesAsync();
        await using var queried = f.Store.OpenSession();
        order = await queried.Query<Order>().Include(o => o.Company).FirstAsync();
        Assert.Equal("C1", (await queried.LoadAsync<Company>(order.Company!))!.Name);
        Assert.Equal(1, queried.Advanced.RequestCount);
    }

    [Fact]
    public async Task Ids_collections_and_derived_classes_follow_conventions()
    {
        await using var f = await ClientFixture.OpenAsync(
            false,
            new DocumentStoreOptions { MakeId = e => e is Category c ? "categories/" + c.Code : null }
        );
        await using var session = f.Store.OpenSession();
        var dog = new Dog { Name = "Rex", Bark = "wau" };
        session.Store(dog);
        session.Store(new Category { Code = "tea" });
        session.Store(new Odd { Number = "odd/7" });
        Assert.Equal("animals/1-A", await session.StoreAsync(new Cat { Name = "Tom" }));
        await session.SaveChangesAsync();
        await using var reader = f.Store.OpenSession();
        var animals = await reader.LoadAsync<Animal>(["animals/1-A", "animals/2-A"]);
        Assert.Equal(["Cat", "Dog"], animals.Values.Select(a => a!.GetType().Name).Order());
        Assert.Equal(
            ["Rex", "Tom"],
            await reader.Query<Animal>().OrderBy(a => a.Name).Select(a => a.Name).ToListAsync()
        );
        Assert.Equal("tea", (await reader.LoadAsync<Category>("categories/tea"))!.Code);
        Assert.Equal("odd/7", (await reader.Query<Odd>().SingleAsync()).Number);
        using var snapshot = f.Database.OpenSnapshot();
        Assert.Equal("odds", snapshot.TryGet("odd/7", out var odd) ? odd.Collection : "");
        Assert.Contains(
            "int",
            Assert.Throws<DocumentModelException>(() => session.Store(new WrongId())).Message,
            StringComparison.OrdinalIgnoreCase
        );
    }

    [Fact]
    public async Task A_generated_context_serves_without_reflection()
    {
        await using var f = await ClientFixture.OpenAsync(
            false,
            new DocumentStoreOptions
            {
                Json = new JsonSerializerOptions
                {
                    TypeInfoResolver = NoteJson.Default,
                    PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
                },
            }
        );
        await using var session = f.Store.OpenSession();
        session.Store(new Note { Text = "x" });
        await session.SaveChangesAsync();
        Assert.Equal("""{"text":"x"}""", Body(f, "notes/1-A"));
        await using var reader = f.Store.OpenSession();
        Assert.Equal("x", (await reader.LoadAsync<Note>("notes/1-A"))!.Text);
        Assert.Equal("notes/1-A", (await reader.Query<Note>().SingleAsync(n => n.Text == "x")).Id);
    }

    [Fact]
    public async Task Misuse_is_named()
    {
        await using var f = await ClientFixture.OpenAsync(false);
        var session = f.Store.OpenSession();
        session.Store(new Order { Id = "orders/1" });
        Assert.Contains(
            "orders/1",
            Assert.Throws<InvalidOperationException>(() => session.Store(new Order { Id = "orders/1" })).Message,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "does not belong to the session",
            Assert.Throws<InvalidOperationException>(() => session.Delete(new Order())).Message,
            StringComparison.Ordinal
        );
        await session.SaveChangesAsync();
        Assert.Contains(
            "not a Company",
            (
                await Assert.ThrowsAsync<InvalidCastException>(async () => await session.LoadAsync<Company>("orders/1"))
            ).Message,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "ToListAsync",
            Assert.Throws<NotSupportedException>(() => session.Query<Order>().ToList()).Message,
            StringComparison.Ordinal
        );
        await session.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await session.LoadAsync<Order>("orders/1"));
        Assert.Throws<ArgumentException>(() => DocumentStore.Connect("shop", "x"));
        await using var nobody = DocumentStore.Connect("http://127.0.0.1:1", "x");
        await Assert.ThrowsAsync<ServerException>(async () => await nobody.OpenSession().LoadAsync<Order>("orders/1"));
    }

    private static string Body(ClientFixture f, string id)
    {
        using var snapshot = f.Database.OpenSnapshot();
        return snapshot.TryGet(id, out var document) ? document.Body.Root.ToString() : "";
    }

    [JsonDerivedType(typeof(Dog), "dog")]
    [JsonDerivedType(typeof(Cat), "cat")]
    internal abstract class Animal
    {
        public string? Id { get; set; }

        public string Name { get; set; } = "";
    }

    internal sealed class Dog : Animal
    {
        public string Bark { get; set; } = "";
    }

    internal sealed class Cat : Animal;

    internal sealed class Category
    {
        public string Code { get; set; } = "";
    }

    [Pipeline.Client.Collection("odds")]
    internal sealed class Odd
    {
        [DocumentId]
        public string Number { get; set; } = "";
    }

    internal sealed class WrongId
    {
        public int Id { get; set; }
    }

    internal sealed class Note
    {
        public string? Id { get; set; }

        public string Text { get; set; } = "";
    }

    [JsonSerializable(typeof(Note))]
    internal sealed partial class NoteJson : JsonSerializerContext;
}
