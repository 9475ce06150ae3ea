using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Subscriptions;

namespace Pipeline.Benchmarks.Client;

/// <summary>
/// Measures what a session adds to the database's own API on documents in memory: processor time and allocated bytes of
/// each document. `load` reads documents by id and deserializes them; `save` serializes and stores them, 100 in a
/// transaction; `translate` reads a LINQ query; `receive` gets them from a subscription, in batches of 1,000. `--count
/// N` is the number of documents (default 20,000).
/// </summary>
public static class ClientBenchmarks
{
    private const int InTransaction = 100;
    private static readonly JsonSerializerOptions Json = new() { Converters = { new JsonStringEnumConverter() } };

    public static async Task<int> RunAsync(string[] arguments)
    {
        var count = 20_000;
        for (var i = 0; i < arguments.Length; i++)
        {
            if (
                arguments[i] == "--count"
                && i + 1 < arguments.Length
                && int.TryParse(arguments[i + 1], out count)
                && count >= InTransaction
            )
            {
                i++;
            }
            else
            {
                throw new BenchmarkException($"'{arguments[i]}' is not an argument; there is --count N");
            }
        }

        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "client" });
        await using var host = SubscriptionHost.Open(database);
        await using var store = database.AsStore(host);
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions { Shared = [new SharedDatabase(database, host)] }
        );
        await using var remote = DocumentStore.Connect(server.Url.ToString(), database.Name);
        for (var round = 0; round < 2; round++)
        {
            await MeasureAsync("save", "api", count, round, n => SaveByApiAsync(database, n));
            await MeasureAsync("save", "session", count, round, n => SaveBySessionAsync(store, n));
            await MeasureAsync("load", "api", count, round, n => LoadByApi(database, n));
            await MeasureAsync("load", "session", count, round, n => LoadBySessionAsync(store, n));
            await MeasureAsync("translate", "session", count, round, n => Translate(store, n));
            await MeasureAsync("receive", "api", count, round, n => ReceiveByApiAsync(database, host, n));
            await MeasureAsync("receive", "embedded", count, round, n => ReceiveAsync(store, n));
            await MeasureAsync("receive", "http", count, round, n => ReceiveAsync(remote, n));
        }

        return 0;
    }

    private static async Task MeasureAsync(string workload, string peer, int count, int round, Func<int, Task> work)
    {
        await work(count / 10);
        var (clock, allocated) = (new Clock(), GC.GetTotalAllocatedBytes(precise: true));
        await work(count);
        if (round == 0)
            return;
        Report.Figure(workload, peer, "rate", count / clock.Seconds, "documents/s");
        Report.Figure(workload, peer, "cpu", clock.CpuSeconds * 1e6 / count, "us/document");
        Report.Figure(
            workload,
            peer,
            "allocated",
            (double)(GC.GetTotalAllocatedBytes(precise: true) - allocated) / count,
            "bytes/document"
        );
    }

    private static string Id(int n) => "orders/" + n.ToString(CultureInfo.InvariantCulture);

    private static Order Make(int n, string? id) =>
        new()
        {
            Id = id,
            Customer = "customer " + n.ToString(CultureInfo.InvariantCulture),
            Total = n / 4m,
            State = (OrderState)(n % 3),
            City = "Oslo",
            Lines = [new Line("tea", 4.5m, 3), new Line("milk", 1.5m, 12), new Line("bread", 3.25m, n % 7)],
        };

    private static async Task SaveByApiAsync(DocumentDatabase database, int count)
    {
        for (var from = 0; from < count; from += InTransaction)
        {
            var batch = new DocumentBatch();
            for (var n = from; n < from + InTransaction; n++)
                batch.Put(Id(n), JsonSerializer.SerializeToUtf8Bytes(new Stored(Make(n, null)), Json));
            await database.ExecuteAsync(batch);
        }
    }

    private static async Task SaveBySessionAsync(IDocumentStore store, int count)
    {
        for (var from = 0; from < count; from += InTransaction)
        {
            await using var session = store.OpenSession();
            for (var n = from; n < from + InTransaction; n++)
                session.Store(Make(n, Id(n)));
            await session.SaveChangesAsync();
        }
    }

    private static Task LoadByApi(DocumentDatabase database, int count)
    {
        var target = new System.Buffers.ArrayBufferWriter<byte>();
        for (var n = 0; n < count; n++)
        {
            using var snapshot = database.OpenSnapshot();
            if (!snapshot.TryGet(Id(n), out var document))
                throw new BenchmarkException($"{Id(n)} is missing");
            target.ResetWrittenCount();
            document.WriteJson(target);
            if (JsonSerializer.Deserialize<Order>(target.WrittenSpan, Json)!.Lines.Count != 3)
                throw new BenchmarkException($"{Id(n)} has other lines");
        }

        return Task.CompletedTask;
    }

    private static async Task LoadBySessionAsync(IDocumentStore store, int count)
    {
        for (var from = 0; from < count; from += InTransaction)
        {
            await using var session = store.OpenSession();
            for (var n = from; n < from + InTransaction; n++)
            {
                if ((await session.LoadAsync<Order>(Id(n)))!.Lines.Count != 3)
                    throw new BenchmarkException($"{Id(n)} has other lines");
            }
        }
    }

    private static async Task Translate(IDocumentStore store, int count)
    {
        await using var session = store.OpenSession();
        for (var n = 0; n < count; n++)
        {
            var least = n;
            if (
                session
                    .Query<Order>()
                    .Where(o => o.Total > least && o.City == "Oslo" && o.Lines.Any(l => l.Product == "tea"))
                    .OrderByDescending(o => o.Total)
                    .Take(10)
                    .ToQueryString()
                    .Length < 50
            )
            {
                throw new BenchmarkException("the query is too short");
            }
        }
    }

    private static async Task ReceiveByApiAsync(DocumentDatabase database, SubscriptionHost host, int count)
    {
        await host.CreateAsync(new SubscriptionDefinition { Name = "api", Collections = ["Orders"] });
        var target = new System.Buffers.ArrayBufferWriter<byte>();
        var seen = 0;
        await using (var worker = await host.ConnectAsync("api"))
        {
            while (seen < count && await worker.NextAsync() is { } batch)
            {
                using (var snapshot = database.OpenSnapshot())
                {
                    foreach (var item in batch)
                    {
                        target.ResetWrittenCount();
                        item.WriteJson(snapshot, target);
                        seen += JsonSerializer.Deserialize<Order>(target.WrittenSpan, Json)!.Lines.Count / 3;
                    }
                }

                await batch.AcknowledgeAsync();
            }
        }

        await host.DeleteAsync("api");
    }

    private static async Task ReceiveAsync(IDocumentStore store, int count)
    {
        await store.Subscriptions.CreateAsync<Order>("typed");
        var seen = 0;
        await foreach (var batch in store.Subscribe<Order>("typed"))
        {
            seen += batch.Sum(item => item.Document.Lines.Count / 3);
            if (seen >= count)
                break;
        }

        await store.Subscriptions.DeleteAsync("typed");
    }

    internal enum OrderState
    {
        Open,
        Paid,
        Sent,
    }

    internal sealed record Line(string Product, decimal Price, int Quantity);

    internal sealed class Order
    {
        public string? Id { get; set; }

        public string Customer { get; set; } = "";

        public string City { get; set; } = "";

        public decimal Total { get; set; }

        public OrderState State { get; set; }

        public List<Line> Lines { get; set; } = [];
    }

    // What a user of the API writes: the document with its collection.
    internal sealed class Stored(Order order)
    {
        public string Customer => order.Customer;

        public string City => order.City;

        public decimal Total => order.Total;

        public OrderState State => order.State;

        public List<Line> Lines => order.Lines;

        [JsonPropertyName("@metadata")]
        public Dictionary<string, string> Metadata { get; } = new() { ["@collection"] = "Orders" };
    }
}
