using Pipeline.Client;

namespace Pipeline.CrashTests.Client;

/// <summary>
/// The child process: sessions that increment one counter and change two documents together over HTTP, and read these.
/// </summary>
internal static class ClientChild
{
    public const string Database = "shop";
    public const string Counter = "counters/1";
    public const int Increments = 50;
    private const int Writers = 2;
    private const int Reads = 60;
    private static readonly string[] Pair = ["counters/2", "counters/3"];

    /// <summary>Stores the documents.</summary>
    public static async Task PrepareAsync(IDocumentStore store)
    {
        await using var session = store.OpenSession();
        foreach (var id in (string[])[Counter, .. Pair])
            session.Store(new CounterDocument { Id = id, Group = id == Counter ? "one" : "pair" });
        await session.SaveChangesAsync();
    }

    /// <summary>Does its share; an exit code other than 0 means that a change was seen half.</summary>
    /// <param name="url">The server.</param>
    /// <param name="isSafe">Whether a save checks the version.</param>
    public static async Task<int> RunAsync(string url, bool isSafe)
    {
        await using var store = DocumentStore.Connect(
            url,
            Database,
            new DocumentStoreOptions { UseOptimisticConcurrency = isSafe }
        );
        IEnumerable<Task<bool>> tasks =
        [
            .. Enumerable.Range(0, Writers).Select(_ => Task.Run(() => IncrementAsync(store, Increments / Writers))),
            Task.Run(() => ChangeAsync(store)),
            Task.Run(() => ReadAsync(store, byQuery: false)),
            Task.Run(() => ReadAsync(store, byQuery: true)),
        ];
        return (await Task.WhenAll(tasks)).All(isWhole => isWhole) ? 0 : 1;
    }

    private static async Task<bool> IncrementAsync(IDocumentStore store, int count)
    {
        while (count > 0)
        {
            await using var session = store.OpenSession();
            (await session.LoadAsync<CounterDocument>(Counter))!.Value++;
            count -= await TrySaveAsync(session) ? 1 : 0;
        }

        return true;
    }

    private static async Task<bool> ChangeAsync(IDocumentStore store)
    {
        for (var changes = 0; changes < Increments; )
        {
            await using var session = store.OpenSession();
            foreach (var counter in (await session.LoadAsync<CounterDocument>(Pair)).Values)
                counter!.Value++;
            changes += await TrySaveAsync(session) ? 1 : 0;
        }

        return true;
    }

    private static async Task<bool> ReadAsync(IDocumentStore store, bool byQuery)
    {
        for (var i = 0; i < Reads; i++)
        {
            await using var session = store.OpenSession();
            var pair = byQuery
                ? await session.Query<CounterDocument>().Where(c => c.Group == "pair").ToListAsync()
                : [.. (await session.LoadAsync<CounterDocument>(Pair)).Values.Select(c => c!)];
            if (pair.Count == 2 && pair[0].Value == pair[1].Value)
                continue;
            Console.WriteLine($"read {i}, by query {byQuery}: {string.Join(" and ", pair.Select(c => c.Value))}");
            return false;
        }

        return true;
    }

    private static async Task<bool> TrySaveAsync(IDocumentSession session)
    {
        try
        {
            await session.SaveChangesAsync();
            return true;
        }
        catch (ConcurrencyException)
        {
            return false;
        }
    }
}

/// <summary>What is counted.</summary>
[Collection("Counters")]
internal sealed class CounterDocument
{
    public string? Id { get; set; }

    public int Value { get; set; }

    public string Group { get; set; } = "";
}
