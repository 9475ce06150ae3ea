using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>
/// Sessions of sixteen threads on the same documents, in the process and over HTTP: no change is lost, and none is seen
/// half.
/// </summary>
public sealed class ConcurrencyTests
{
    private const int Threads = 16;
    private const int Increments = 20;
    private const int Changes = 200;

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task No_increment_is_lost(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(
            isRemote,
            new DocumentStoreOptions { UseOptimisticConcurrency = true }
        );
        await StoreAsync(f, new Counter { Id = "counters/1" });
        await Task.WhenAll(
            Enumerable
                .Range(0, Threads)
                .Select(_ =>
                    Task.Run(async () =>
                    {
                        for (var i = 0; i < Increments; i++)
                        {
                            var isSaved = false;
                            while (!isSaved)
                                isSaved = await TryIncrementAsync(f);
                        }
                    })
                )
        );
        await using var session = f.Store.OpenSession();
        Assert.Equal(Threads * Increments, (await session.LoadAsync<Counter>("counters/1"))!.Value);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Without_optimistic_concurrency_an_increment_is_lost(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await StoreAsync(f, new Counter { Id = "counters/1" });
        await using var a = f.Store.OpenSession();
        await using var b = f.Store.OpenSession();
        (await a.LoadAsync<Counter>("counters/1"))!.Value++;
        (await b.LoadAsync<Counter>("counters/1"))!.Value++;
        await a.SaveChangesAsync();
        await b.SaveChangesAsync();
        await using var session = f.Store.OpenSession();
        Assert.Equal(1, (await session.LoadAsync<Counter>("counters/1"))!.Value);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Of_a_save_a_reader_sees_all_or_nothing(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await StoreAsync(
            f,
            new Counter { Id = "counters/1", Pair = "a" },
            new Counter { Id = "counters/2", Pair = "a" }
        );
        var writer = Task.Run(async () =>
        {
            for (var i = 1; i <= Changes; i++)
                await ChangeAsync(f, i);
        });
        var readers = Enumerable
            .Range(0, Threads - 1)
            .Select(thread =>
                Task.Run(async () =>
                {
                    var last = 0;
                    for (var reads = 0; reads < Changes / 10 || !writer.IsCompleted; reads++)
                    {
                        await using var session = f.Store.OpenSession();
                        var pair = (thread % 3) switch
                        {
                            0 =>
                            [
                                .. (await session.LoadAsync<Counter>(["counters/1", "counters/2"])).Values.Select(c =>
                                    c!
                                ),
                            ],
                            1 => await session.Query<Counter>().Where(c => c.Pair == "a").ToListAsync(),
                            _ => await session.Query<Counter>().ToListAsync(),
                        };
                        Assert.Equal(2, pair.Count);
                        Assert.True(
                            pair[0].Value == pair[1].Value,
                            $"reader {thread} saw {pair[0].Value} and {pair[1].Value}"
                        );
                        Assert.InRange(pair[0].Value, last, Changes);
                        last = pair[0].Value;
                    }
                })
            );
        await Task.WhenAll([writer, .. readers]);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Two_loads_see_a_save_between_them(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await StoreAsync(f, new Counter { Id = "counters/1" }, new Counter { Id = "counters/2" });
        await using var session = f.Store.OpenSession();
        var first = (await session.LoadAsync<Counter>("counters/1"))!.Value;
        await ChangeAsync(f, 1);
        Assert.Equal((0, 1), (first, (await session.LoadAsync<Counter>("counters/2"))!.Value));
    }

    private static async Task<bool> TryIncrementAsync(ClientFixture f)
    {
        await using var session = f.Store.OpenSession();
        (await session.LoadAsync<Counter>("counters/1"))!.Value++;
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

    private static async Task ChangeAsync(ClientFixture f, int value)
    {
        await using var session = f.Store.OpenSession();
        foreach (var counter in (await session.LoadAsync<Counter>(["counters/1", "counters/2"])).Values)
            counter!.Value = value;
        await session.SaveChangesAsync();
    }

    private static async Task StoreAsync(ClientFixture f, params object[] entities)
    {
        await using var session = f.Store.OpenSession();
        foreach (var entity in entities)
            session.Store(entity);
        await session.SaveChangesAsync();
    }

    private sealed class Counter
    {
        public string? Id { get; set; }

        public int Value { get; set; }

        public string? Pair { get; set; }
    }
}
