using System.Globalization;
using Pipeline.Benchmarks.Storage;

namespace Pipeline.Benchmarks.Peers;

/// <summary>
/// Compares Pipeline with LiteDB and SQLite as embedded stores of documents: the same orders, one thread, an index of
/// the customers. `insert` stores all orders, 1,000 in a transaction, and `settled` ends when queries find them all;
/// `load` reads by id, `query` reads the twenty orders of a customer; `update` loads, changes and saves one order in a
/// transaction, `update-100` a hundred. Arguments: peers (by default all); `--orders N` (default 100,000); `--path
/// FOLDER` is for the stores. `pipeline`, `sqlite-full` and `litedb` sync each commit; `sqlite-normal` loses the last
/// commits in a power cut.
/// </summary>
public static class PeerBenchmarks
{
    private const int InTransaction = 1000;

    private static readonly Dictionary<string, Func<string, Task<IOrderStore>>> Peers = new(StringComparer.Ordinal)
    {
        ["pipeline"] = PipelineOrders.OpenAsync,
        ["sqlite-full"] = folder => SqliteOrders.OpenAsync(folder, "FULL"),
        ["litedb"] = LiteDbOrders.OpenAsync,
        ["sqlite-normal"] = folder => SqliteOrders.OpenAsync(folder, "NORMAL"),
    };

    public static async Task<int> RunAsync(string[] arguments)
    {
        var (orders, path, chosen) = (100_000, Path.GetTempPath(), new List<string>());
        for (var i = 0; i < arguments.Length; i++)
        {
            if (
                arguments[i] == "--orders"
                && i + 1 < arguments.Length
                && int.TryParse(arguments[i + 1], CultureInfo.InvariantCulture, out orders)
                && orders >= InTransaction
            )
            {
                i++;
            }
            else if (arguments[i] == "--path" && i + 1 < arguments.Length)
            {
                path = arguments[++i];
            }
            else if (Peers.ContainsKey(arguments[i]))
            {
                chosen.Add(arguments[i]);
            }
            else
            {
                throw new BenchmarkException(
                    $"'{arguments[i]}' is not an argument; peers: {string.Join(' ', Peers.Keys)}; --orders N (at least {InTransaction}), --path FOLDER"
                );
            }
        }

        foreach (var peer in chosen.Count == 0 ? [.. Peers.Keys] : chosen)
        {
            var folder = Path.Combine(path, $"pipeline-benchmarks-{Environment.ProcessId}");
            try
            {
                await MeasureAsync(peer, folder, Math.Max(InTransaction, orders / 20), isReported: false);
                await MeasureAsync(peer, folder, orders, isReported: true);
            }
            finally
            {
                Directory.Delete(folder, recursive: true);
            }
        }

        return 0;
    }

    private static async Task MeasureAsync(string peer, string folder, int count, bool isReported)
    {
        Folders.Wipe(folder);
        var random = new Xorshift(42);
        var batches = Enumerable.Range(0, count).Select(n => Order.Make(n, count)).Chunk(InTransaction).ToList();
        await using (var store = await Peers[peer](folder))
        {
            var clock = new Clock();
            foreach (var batch in batches)
                await store.InsertAsync(batch);
            var (inserted, cpu) = (clock.Seconds, clock.CpuSeconds);
            await store.SettleAsync();
            Report("insert", inserted, cpu, count);
            Report("settled", clock.Seconds, clock.CpuSeconds, count);
            await TimeAsync(
                "load",
                count,
                1,
                async _ =>
                {
                    var n = Next();
                    if (
                        await store.LoadAsync(Order.IdOf(n)) is not { Lines.Count: 3 } order
                        || order.Customer != Order.CustomerOf(n, count)
                    )
                    {
                        throw new BenchmarkException($"{Order.IdOf(n)} is not as it was stored");
                    }
                }
            );
            await TimeAsync(
                "query",
                count / Order.PerCustomer,
                1,
                async _ =>
                {
                    if ((await store.OfCustomerAsync(Order.CustomerOf(Next(), count))).Count != Order.PerCustomer)
                        throw new BenchmarkException("a customer has other orders");
                }
            );
            // Steps without a common divisor with the count: each order is updated once at most.
            await TimeAsync("update", count / 50, 1, i => store.UpdateAsync([Order.IdOf((int)(i * 31L % count))]));
            await TimeAsync(
                "update-100",
                count / 500,
                100,
                i =>
                    store.UpdateAsync([
                        .. Enumerable.Range(i * 100, 100).Select(n => Order.IdOf((int)(n * 37L % count))),
                    ])
            );
            if ((await store.LoadAsync(Order.IdOf(0)))!.Total != 2)
                throw new BenchmarkException("an update was lost");
        }

        if (isReported)
            Benchmarks.Report.Figure("closed", peer, "disk", Folders.AllocatedBytes(folder) / 1e6, "MB");

        int Next() => (int)(random.Next() % (ulong)count);

        async Task TimeAsync(string workload, int times, int operations, Func<int, Task> work)
        {
            var clock = new Clock();
            for (var i = 0; i < times; i++)
                await work(i);
            Report(workload, clock.Seconds, clock.CpuSeconds, times * operations);
        }

        void Report(string workload, double seconds, double cpu, int operations)
        {
            if (!isReported)
                return;
            Benchmarks.Report.Figure(workload, peer, "time", seconds * 1e6 / operations, "us");
            Benchmarks.Report.Figure(workload, peer, "cpu", cpu * 1e6 / operations, "us");
        }
    }
}
