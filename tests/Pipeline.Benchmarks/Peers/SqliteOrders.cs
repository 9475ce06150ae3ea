using System.Text.Json;
using Microsoft.Data.Sqlite;

namespace Pipeline.Benchmarks.Peers;

/// <summary>
/// A table with a JSON column and an index of an expression on it, in WAL mode, with prepared commands.
/// </summary>
internal sealed class SqliteOrders : IOrderStore
{
    private readonly SqliteConnection _connection;
    private readonly SqliteCommand _insert,
        _load,
        _query,
        _update;

    private SqliteOrders(SqliteConnection connection)
    {
        _connection = connection;
        _insert = Command("INSERT INTO orders(id, json) VALUES ($a, $b)");
        _load = Command("SELECT json FROM orders WHERE id = $a");
        _query = Command("SELECT json FROM orders WHERE json ->> '$.Customer' = $a");
        _update = Command("UPDATE orders SET json = $b WHERE id = $a");
    }

    /// <param name="folder">Where the file is.</param>
    /// <param name="synchronous"><c>FULL</c> syncs each commit, <c>NORMAL</c> each checkpoint.</param>
    public static Task<IOrderStore> OpenAsync(string folder, string synchronous)
    {
        var connection = new SqliteConnection($"Data Source={Path.Combine(folder, "orders.db")};Pooling=False");
        connection.Open();
        using var setup = connection.CreateCommand();
        setup.CommandText =
            $"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous}; CREATE TABLE orders(id TEXT PRIMARY KEY, json TEXT NOT NULL); CREATE INDEX customers ON orders(json ->> '$.Customer');";
        setup.ExecuteNonQuery();
        return Task.FromResult<IOrderStore>(new SqliteOrders(connection));
    }

    public Task InsertAsync(IReadOnlyList<Order> orders)
    {
        using var transaction = _connection.BeginTransaction();
        foreach (var order in orders)
            Write(_insert, transaction, order);
        transaction.Commit();
        return Task.CompletedTask;
    }

    public Task SettleAsync() => Task.CompletedTask;

    public ValueTask<Order?> LoadAsync(string id) => ValueTask.FromResult(Read(_load, null, id).SingleOrDefault());

    public ValueTask<IReadOnlyList<Order>> OfCustomerAsync(string customer) =>
        ValueTask.FromResult<IReadOnlyList<Order>>(Read(_query, null, customer));

    public Task UpdateAsync(IReadOnlyList<string> ids)
    {
        using var transaction = _connection.BeginTransaction();
        foreach (var id in ids)
        {
            var order = Read(_load, transaction, id).Single();
            order.Total++;
            Write(_update, transaction, order);
        }

        transaction.Commit();
        return Task.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var command in new[] { _insert, _load, _query, _update })
            await command.DisposeAsync();
        await _connection.DisposeAsync();
    }

    private SqliteCommand Command(string text)
    {
        var command = _connection.CreateCommand();
        command.CommandText = text;
        command.Parameters.Add("$a", SqliteType.Text);
        if (text.Contains("$b", StringComparison.Ordinal))
            command.Parameters.Add("$b", SqliteType.Text);
        command.Prepare();
        return command;
    }

    private static void Write(SqliteCommand command, SqliteTransaction transaction, Order order)
    {
        command.Transaction = transaction;
        command.Parameters[0].Value = order.Id;
        command.Parameters[1].Value = JsonSerializer.Serialize(order);
        if (command.ExecuteNonQuery() != 1)
            throw new BenchmarkException($"{order.Id} was not written");
    }

    private static List<Order> Read(SqliteCommand command, SqliteTransaction? transaction, string value)
    {
        command.Transaction = transaction;
        command.Parameters[0].Value = value;
        using var reader = command.ExecuteReader();
        var orders = new List<Order>();
        while (reader.Read())
            orders.Add(JsonSerializer.Deserialize<Order>(reader.GetString(0))!);
        return orders;
    }
}
