using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Client;
using Pipeline.Configuration;
using Pipeline.Configuration.Testing;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Transforms;
using Pipeline.Hosting;
using Pipeline.Testing;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Worker.Tests.Hosting;

/// <summary>Transforms that are classes of the program.</summary>
public sealed class EtlTransformTests
{
    private const string Head = """
        version: 1
        database: { name: shop, path: ./data }
        connections: { out: { files: { directory: ./out } } }
        etl:

        """;

    public enum Size
    {
        Small,
        Large,
    }

    public sealed record Line(string Product, int Quantity);

    public sealed class Purchase
    {
        public string? Id { get; set; }
        public required string Customer { get; set; }
        public decimal Total { get; set; }
        public DateOnly Day { get; set; }
        public Size Size { get; set; }
        public List<Line> Lines { get; set; } = [];
    }

    public sealed record Customer(string Id, string Name);

    public sealed record PurchaseMade(
        string Purchase,
        string? Name,
        decimal Total,
        DateOnly Day,
        Size Size,
        int Pieces,
        string? Channel
    );

    public sealed class PurchaseMessages : IEtlTransform<Purchase>, IEtlTransform<Customer>
    {
        public void Transform(EtlChange<Purchase> change)
        {
            if (change.IsDeleted)
            {
                change.Send("gone", new { change.Id }, key: change.Id);
                return;
            }
            var p = change.Document;
            change.Send(
                "purchases",
                new PurchaseMade(
                    p.Id!,
                    change.Load<Customer>(p.Customer)?.Name,
                    p.Total,
                    p.Day,
                    p.Size,
                    p.Lines.Sum(l => l.Quantity),
                    (string?)change.Metadata["Channel"]
                ),
                key: p.Customer,
                type: "shop.purchase"
            );
            foreach (var line in p.Lines)
                change.Send("lines", line);
        }

        public void Transform(EtlChange<Customer> change) =>
            change.Send(
                "customers",
                change.Document.Name,
                key: change.ChangeVector is { Length: > 0 } ? change.Collection : null
            );
    }

    public sealed class Failing : IEtlTransform<Purchase>
    {
        public void Transform(EtlChange<Purchase> change)
        {
            change.Send("before", 1);
            if (change.Document.Total == 1)
                throw new InvalidOperationException("as it should");
            for (var i = 0; change.Document.Total == 2; i++)
                change.Send("many", i);
            if (change.Document.Total == 3)
                change.Send("large", new string('x', 5000));
            if (change.Document.Total == 4)
                change.Load<Purchase>("customers/1");
            if (change.Document.Total == 5)
                change.Send("", 1);
        }
    }

    [Fact]
    public async Task Documents_come_as_objects_and_messages_go_as_objects()
    {
        await using var server = await StartAsync(
            "  - { name: t, from: [Purchases, Customers], to: out, class: PurchaseMessages, onDelete: event }"
        );
        await using var store = server.Database.AsStore();
        await using (var session = store.OpenSession())
        {
            session.Store(new Customer("customers/1", "Ann"));
            var purchase = new Purchase
            {
                Customer = "customers/1",
                Total = 12.50m,
                Day = new DateOnly(2026, 2, 3),
                Size = Size.Large,
                Lines = [new("tea", 2), new("cup", 3)],
            };
            session.Store(purchase, "purchases/1");
            session.Advanced.GetMetadata(purchase)["Channel"] = "web";
            await session.SaveChangesAsync();
        }
        await server.Etl("t").DrainedAsync();
        await server.Database.DeleteAsync("purchases/1");
        Assert.Equal(
            [
                """customers/Customers: "Ann" """.Trim(),
                """purchases/customers/1: {"Purchase":"purchases/1","Name":"Ann","Total":12.50,"Day":"2026-02-03","Size":"Large","Pieces":5,"Channel":"web"}""",
                """lines/: {"Product":"tea","Quantity":2}""",
                """lines/: {"Product":"cup","Quantity":3}""",
                """gone/purchases/1: {"Id":"purchases/1"}""",
            ],
            Texts(await server.Etl("t").DrainedAsync())
        );
        Assert.Equal(
            [
                "pipeline.document.put",
                "shop.purchase",
                "pipeline.document.put",
                "pipeline.document.put",
                "pipeline.document.delete",
            ],
            server.Etl("t").Messages.Select(m => m.Type)
        );
        Assert.Equal(5, server.Etl("t").Messages.Select(m => m.Id).Distinct().Count());
    }

    [Theory]
    [InlineData("""{"Customer":"c","Total":1}""", "InvalidOperationException: as it should")]
    [InlineData("""{"Customer":"c","Total":2}""", "limits.messages")]
    [InlineData("""{"Customer":"c","Total":3}""", "limits.bodyBytes")]
    [InlineData("""{"Customer":"c","Total":4}""", "The document 'customers/1' cannot be read as Purchase")]
    [InlineData("""{"Customer":"c","Total":5}""", "ArgumentException")]
    [InlineData("""{"Total":6}""", "The document 'purchases/1' cannot be read as Purchase")]
    [InlineData("""{"Customer":"c","Total":"much"}""", "The document 'purchases/1' cannot be read as Purchase")]
    public async Task What_fails_is_a_dead_letter_and_sends_nothing(string body, string error)
    {
        await using var server = await StartAsync(
            "  - { name: t, from: [Purchases], to: out, class: Failing, limits: { messages: 10, bodyBytes: 4KiB } }"
        );
        await server.Database.PutAsync("customers/1", """{"Name":"Ann"}"""u8.ToArray());
        await server.Database.PutAsync(
            "purchases/1",
            Encoding.UTF8.GetBytes($$$"""{{{body[..^1]}}},"@metadata":{"@collection":"Purchases"}}""")
        );
        var outcome = await server.Etl("t").DrainedWithFailuresAsync();
        Assert.Empty(outcome.Messages);
        Assert.Contains(error, Assert.Single(outcome.DeadLetters).Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_document_of_a_collection_that_the_class_does_not_know_is_a_dead_letter()
    {
        await using var server = await StartAsync(
            "  - { name: t, from: [Invoices], to: out, class: PurchaseMessages }"
        );
        await server.Database.PutAsync("invoices/1", """{"@metadata":{"@collection":"Invoices"}}"""u8.ToArray());
        Assert.Contains(
            "has no IEtlTransform for documents of 'Invoices'; it has one for Customers, Purchases",
            Assert.Single((await server.Etl("t").DrainedWithFailuresAsync()).DeadLetters).Error,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_document_is_sent_again_when_one_that_it_loaded_changes()
    {
        await using var server = await StartAsync(
            "  - { name: t, from: [Purchases], to: out, class: PurchaseMessages, dependsOn: load }"
        );
        await server.Database.PutAsync(
            "purchases/1",
            """{"Customer":"customers/1","@metadata":{"@collection":"Purchases"}}"""u8.ToArray()
        );
        await server.Etl("t").DrainedAsync();
        await server.Database.PutAsync("customers/1", """{"Name":"Ann"}"""u8.ToArray());
        Assert.Equal(
            ["null", "\"Ann\""],
            Texts(await server.Etl("t").DrainedAsync()).Select(t => t.Split("\"Name\":")[1].Split(',')[0])
        );
    }

    [Theory]
    [InlineData("class: Purchases", "5:51", "this program has no transform 'Purchases'")]
    [InlineData("class: PurchaseMessage", "5:51", "'PurchaseMessages'")]
    [InlineData(
        "class: Failing, transform: 'send(\"a\", 1);'",
        "5:60",
        "etl[0].transform cannot stand together with 'class'"
    )]
    [InlineData("class: Failing, language: javascript", "5:60", "etl[0].language cannot stand together with 'class'")]
    [InlineData("disabled: false", "5:", "the task 't' has no transform")]
    public void A_fault_is_named_with_its_place(string text, string place, string message)
    {
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration
                .Parse(Head + $"  - {{ name: t, from: [Purchases], to: out, {text} }}", "f.yaml", FixedVariables.None)
                .CreatePlan(Catalog())
        );
        Assert.Contains(place, e.Message, StringComparison.Ordinal);
        Assert.Contains(message, e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_tool_checks_such_a_file_and_says_why_it_cannot_run_it()
    {
        using var folder = new TestFolder();
        var file = folder.Write(
            "pipeline.yaml",
            Head + "  - { name: t, from: [Purchases], to: out, class: PurchaseMessages }"
        );
        Assert.Empty(PipelineConfiguration.Lint(file, FixedVariables.None));
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Load(file, FixedVariables.None).CreatePlan()
        );
        Assert.Contains("run the task in the program that has the class", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Cases_in_the_file_test_a_class()
    {
        using var folder = new TestFolder();
        var file = folder.Write(
            "pipeline.yaml",
            Head
                + """
                  - name: t
                    from: [Purchases]
                    to: out
                    class: PurchaseMessages
                    tests:
                      - name: the customer's name is in it
                        document: { id: purchases/1, body: { Customer: customers/1, Total: 5 } }
                        loaded: [{ id: customers/1, body: { Name: Ann } }]
                        expect: [{ destination: purchases, key: customers/1, body: { Name: Ann, Total: 5 } }]
                      - name: a wrong one
                        document: { id: purchases/1, body: { Customer: customers/1 } }
                        expect: [{ destination: purchases, key: customers/2 }]
                """
        );
        var report = TransformTester.Load(file, FixedVariables.None, transforms: Catalog()).Run();
        Assert.Equal([true, false], report.Tasks.Single().Cases.Select(c => c.Passed));
    }

    [Fact]
    public async Task An_application_registers_its_transforms_with_their_services()
    {
        using var folder = new HostFolder(
            HostFolder.Yaml.Replace(
                "transform: 'send(\"orders\", new { Id = id, doc.Total });'",
                "class: priced",
                StringComparison.Ordinal
            )
        );
        var builder = folder.NewBuilder();
        builder.Services.AddSingleton(new Prices(3));
        builder.Services.AddEtlTransform<PricedOrders>("priced");
        builder.Services.AddPipeline();
        await using var app = builder.Build();
        await app.StartAsync();
        await using (var session = app.Services.GetRequiredService<IDocumentStore>().OpenSession())
        {
            session.Store(new Order { Id = "orders/7", Total = 4 });
            await session.SaveChangesAsync();
        }
        Assert.True(await app.Services.GetRequiredService<PipelineWorker>().DrainAsync("orders"));
        Assert.Contains("""{"Id":"orders/7","Price":12}""", Assert.Single(folder.Messages()), StringComparison.Ordinal);
        await app.StopAsync();
    }

    [Fact]
    public void A_name_is_taken_once_and_a_class_that_is_no_transform_is_refused()
    {
        Assert.Equal(["PurchaseMessages", "Failing"], Catalog().Names);
        Assert.Contains(
            "There is already a transform 'Failing'",
            Assert.Throws<ArgumentException>(() => Catalog().Add<Failing>()).Message,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "Prices is not a transform",
            Assert.Throws<ArgumentException>(() => new TransformCatalog().Add(new Prices(1))).Message,
            StringComparison.Ordinal
        );
    }

    private static TransformCatalog Catalog() => new TransformCatalog().Add<PurchaseMessages>().Add<Failing>();

    private static Task<PipelineTestServer> StartAsync(string task) =>
        PipelineTestServer.StartAsync(new PipelineTestOptions { Configuration = Head + task, Transforms = Catalog() });

    private static IEnumerable<string> Texts(IEnumerable<OutgoingMessage> messages) =>
        messages.Select(m => $"{m.Destination}/{m.Key}: {Encoding.UTF8.GetString(m.Body.Span)}");

    private sealed record Prices(int Factor);

    private sealed class PricedOrders(Prices prices) : IEtlTransform<Order>
    {
        public void Transform(EtlChange<Order> change) =>
            change.Send("orders", new { change.Id, Price = change.Document.Total * prices.Factor });
    }
}
