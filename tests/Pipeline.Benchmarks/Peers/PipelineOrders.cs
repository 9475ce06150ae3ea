using Pipeline.Client;
using Pipeline.Database;

namespace Pipeline.Benchmarks.Peers;

/// <summary>
/// A database in this process: sessions to write, single operations to read. A commit returns when its journal is synced; an automatic index follows in
/// the background.
/// </summary>
internal sealed class PipelineOrders : IOrderStore
{
    private readonly DocumentDatabase _database;
    private readonly IDocumentStore _store;

    private PipelineOrders(DocumentDatabase database)
    {
        _database = database;
        _store = database.AsStore(new DocumentStoreOptions { QueryWait = TimeSpan.FromMinutes(2) });
    }

    public static async Task<IOrderStore> OpenAsync(string folder)
    {
        var orders = new PipelineOrders(DocumentDatabase.Open(new DatabaseOptions { Path = folder }));
        // The first query makes the index.
        await orders.OfCustomerAsync("nobody");
        return orders;
    }

    public async Task InsertAsync(IReadOnlyList<Order> orders)
    {
        await using var session = _store.OpenSession();
        foreach (var order in orders)
            session.Store(order);
        await session.SaveChangesAsync();
    }

    public async Task SettleAsync() => await OfCustomerAsync("nobody");

    public ValueTask<Order?> LoadAsync(string id) => _store.LoadAsync<Order>(id);

    public async ValueTask<IReadOnlyList<Order>> OfCustomerAsync(string customer) =>
        await _store.Query<Order>().Where(o => o.Customer == customer).ToListAsync();

    public async Task UpdateAsync(IReadOnlyList<string> ids)
    {
        await using var session = _store.OpenSession();
        foreach (var order in (await session.LoadAsync<Order>(ids)).Values)
            order!.Total++;
        await session.SaveChangesAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _store.DisposeAsync();
        await _database.DisposeAsync();
    }
}
