using System.Globalization;
using Pipeline.Database;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.Subscriptions;

namespace Pipeline.Client.Tests;

/// <summary>A store on a database in this process, reached directly or over HTTP.</summary>
internal sealed class ClientFixture : IAsyncDisposable
{
    private readonly PipelineServer? _server;

    private ClientFixture(
        IDocumentStore store,
        DocumentDatabase database,
        SubscriptionHost subscriptions,
        PipelineServer? server
    ) => (Store, Database, Subscriptions, _server) = (store, database, subscriptions, server);

    public static Xunit.TheoryData<bool> Ways => [false, true];

    public IDocumentStore Store { get; }

    public DocumentDatabase Database { get; }

    public SubscriptionHost Subscriptions { get; }

    /// <summary>The port of the server.</summary>
    public int Port => _server!.Url.Port;

    public static async Task<ClientFixture> OpenAsync(
        bool isRemote,
        DocumentStoreOptions? options = null,
        TimeProvider? time = null,
        HttpClient? client = null
    )
    {
        if (isRemote)
        {
            var server = await PipelineServer.StartAsync(new ServerOptions { Time = time ?? TimeProvider.System });
            var served = await server.CreateDatabaseAsync("shop");
            return new ClientFixture(
                DocumentStore.Connect(server.Url.ToString(), "shop", options, client),
                served,
                server.GetSubscriptions("shop")!,
                server
            );
        }

        var database = DocumentDatabase.Open(new DatabaseOptions { Name = "shop" });
        var subscriptions = SubscriptionHost.Open(database, time);
        return new ClientFixture(database.AsStore(subscriptions, options), database, subscriptions, null);
    }

    /// <summary>
    /// Stores <c>orders/0</c>, <c>orders/1</c> and so on in one transaction; their total is their number.
    /// </summary>
    public async Task StoreOrdersAsync(int count, Func<int, Order>? make = null)
    {
        await using var session = Store.OpenSession();
        for (var n = 0; n < count; n++)
        {
            session.Store(
                make?.Invoke(n) ?? new Order { Total = n },
                string.Create(CultureInfo.InvariantCulture, $"orders/{n}")
            );
        }

        await session.SaveChangesAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await Store.DisposeAsync();
        if (_server is not null)
        {
            await _server.DisposeAsync();
            return;
        }

        await Subscriptions.DisposeAsync();
        await Database.DisposeAsync();
    }
}

internal enum OrderState
{
    Open,
    Paid,
    Sent,
}

internal sealed class Order
{
    public string? Id { get; set; }

    public string? Customer { get; set; }

    public string? Company { get; set; }

    public decimal Total { get; set; }

    public int Count { get; set; }

    public long? Weight { get; set; }

    public bool IsUrgent { get; set; }

    public OrderState State { get; set; }

    public DateOnly Day { get; set; }

    public DateTime At { get; set; }

    public Address? ShipTo { get; set; }

    public List<string> Tags { get; set; } = [];

    public List<Line> Lines { get; set; } = [];
}

internal sealed record Address(string City, string? Street);

internal sealed record Line(string Product, decimal Price, int Quantity);

internal sealed record Company(string Id, string Name);

internal sealed record Place(double Latitude, double Longitude);

internal sealed record Shop(string Id, string Name, double Latitude, double Longitude, Place? Place, string? Wkt);
