namespace Pipeline.Benchmarks.Peers;

/// <summary>
/// A store of orders with an index of their customers, as each product's guide shows it. For one thread.
/// </summary>
internal interface IOrderStore : IAsyncDisposable
{
    /// <summary>Stores new orders in one transaction.</summary>
    Task InsertAsync(IReadOnlyList<Order> orders);

    /// <summary>Returns when queries find all orders that were stored.</summary>
    Task SettleAsync();

    ValueTask<Order?> LoadAsync(string id);

    ValueTask<IReadOnlyList<Order>> OfCustomerAsync(string customer);

    /// <summary>Loads orders, adds one to their totals and saves them, all in one transaction.</summary>
    Task UpdateAsync(IReadOnlyList<string> ids);
}
