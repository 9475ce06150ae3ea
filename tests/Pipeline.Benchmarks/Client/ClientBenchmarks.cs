using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.Subscriptions;

namespace Pipeline.Benchmarks.Client;

/// <summary>
/// Measures what a session adds to the database's own API on documents in memory: processor time and allocated bytes of
/// each document. `load` reads documents by id and deserializes them; `save` serializes and stores them, 100 in a
/// transaction; `translate` reads a LINQ query; `receive` gets them from a subscription, in batches of 1,000. `--count
/// N` is the number of documents (default 20,000). The workloads alternate, and each figure is the median of seven rounds; `--only NAME` measures one of the four after `save`.
/// </summary>
public static class ClientBenchmarks
{
    private const int InTransaction = 100;
    private const int Rounds = 7;
    private static readonly JsonSerializerOptions Json = new() { Converters = { new JsonStringEnumConverter() } };

    public static async Task<int> RunAsync(string[] arguments)
    {
        var count = 20_000;
        var only = "";
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
            else if (arguments[i] == "--only" && i + 1 < arguments.Length)
            {
                only = arguments[++i];
            }
            else
            {
                throw new BenchmarkException(
                    $"'{arguments[i]}' is not an argument; there are --count N and --only NAME"
                );
            }
        }

        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "client" });
        await using var host = SubscriptionHost.Open(database);
        await using var store = database.AsStore(host);
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions { Shared = [new SharedDatabase(database, host)] }
        );
        await using var remote = DocumentStore.Connect(server.Url.ToString(), database.Name);
        (string Workload, string Peer, Func<int, Task> Work)[] all =
        [
            ("save", "api", n => SaveByApiAsync(database, n)),
            ("save", "session", n => SaveBySessionAsync(store, n)),
            ("load", "api", n => LoadByApi(database, n)),
            ("load", "session", n => LoadBySessionAsync(store, n)),
            ("translate", "session", n => Translate(store, n)),
            ("receive", "api", n => ReceiveByApiAsync(database, host, n)),
            ("receive", "embedded", n => ReceiveAsync(store, n)),
            ("receive", "http", n => ReceiveAsync(remote, n)),
        ];
        var measured = all.Select(_ => new List<(double Seconds, double Cpu, double Allocated)>()).ToArray();
        for (var round = 0; round <= Rounds; round++)
        {
            for (var i = 0; i < all.Length; i++)
            {
                if (only.Length > 0 && all[i].Workload != only && (all[i].Workload != "save" || round > 0))
                    continue;
                await all[i].Work(count / 10);
                var (clock, allocated) = (new Clock(), GC.GetTotalAllocatedBytes(precise: true));
                await all[i].Work(count);
                // The first round warms up.
                if (round > 0)
                    measured[i].Add((clock.Seconds, clock.CpuSeconds, Allocated(allocated)));
            }
        }

        for (var i = 0; i < all.Length; i++)
        {
            if (measured[i].Count == 0)
                continue;
            var (workload, peer, _) = all[i];
            Report.Figure(workload, peer, "rate", count / Median(measured[i].Select(m => m.Seconds)), "documents/s");
            Report.Figure(workload, peer, "cpu", Median(measured[i].Select(m => m.Cpu)) * 1e6 / count, "us/document");
            Report.Figure(
                workload,
                peer,
                "allocated",
                Median(measured[i].Select(m => m.Allocated)) / count,
                "bytes/document"
            );
            var api = Array.FindIndex(all, a => a.Workload == workload && a.Peer == "api");
            if (api >= 0 && api != i)
            {
                var ratios = measured[i].Zip(measured[api], (mine, other) => mine.Cpu / other.Cpu);
                Report.Figure(workload, peer, "cpu-ratio", Median(ratios), "of the api's");
            }
        }

        return 0;
    }

    private static double Allocated(long before) => GC.GetTotalAllocatedBytes(precise: true) - before;

    private static double Median(IEnumerable<double> values) => values.Order().ElementAt(Rounds / 2);

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
