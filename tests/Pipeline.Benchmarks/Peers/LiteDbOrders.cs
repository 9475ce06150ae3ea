using LiteDB;

namespace Pipeline.Benchmarks.Peers;

/// <summary>
/// A collection with an index. LiteDB 5.0.20 syncs its log after each page that a commit writes, before the commit
/// returns (seen with strace).
/// </summary>
internal sealed class LiteDbOrders : IOrderStore
{
    private readonly LiteDatabase _database;
    private readonly ILiteCollection<Order> _orders;

    private LiteDbOrders(LiteDatabase database)
    {
        _database = database;
        _orders = database.GetCollection<Order>("orders");
        _orders.EnsureIndex(o => o.Customer);
    }

    public static Task<IOrderStore> OpenAsync(string folder) =>
        Task.FromResult<IOrderStore>(new LiteDbOrders(new LiteDatabase(Path.Combine(folder, "orders.db"))));

    public Task InsertAsync(IReadOnlyList<Order> orders)
    {
        _orders.Insert(orders);
        return Task.CompletedTask;
    }

    public Task SettleAsync() => Task.CompletedTask;

    public ValueTask<Order?> LoadAsync(string id) => ValueTask.FromResult<Order?>(_orders.FindById(id));

    public ValueTask<IReadOnlyList<Order>> OfCustomerAsync(string customer) =>
        ValueTask.FromResult<IReadOnlyList<Order>>([.. _orders.Find(o => o.Customer == customer)]);

    public Task UpdateAsync(IReadOnlyList<string> ids)
    {
        _database.BeginTrans();
        foreach (var id in ids)
        {
            var order = _orders.FindById(id);
            order.Total++;
            if (!_orders.Update(order))
                throw new BenchmarkException($"{id} was not written");
        }

        _database.Commit();
        return Task.CompletedTask;
    }

    public ValueTask DisposeAsync()
    {
        _database.Dispose();
        return ValueTask.CompletedTask;
    }
}
