using System.Globalization;

namespace Pipeline.Benchmarks.Peers;

/// <summary>The document of the comparison. LiteDB maps classes with setters.</summary>
public sealed class Order
{
    public string Id { get; set; } = "";

    public string Customer { get; set; } = "";

    public string City { get; set; } = "";

    public decimal Total { get; set; }

    public DateTime Placed { get; set; }

    public List<OrderLine> Lines { get; set; } = [];

    /// <summary>The id of order <paramref name="n"/>.</summary>
    public static string IdOf(int n) => string.Create(CultureInfo.InvariantCulture, $"orders/{n}");

    /// <summary>The customer of order <paramref name="n"/>: twenty orders each.</summary>
    public static string CustomerOf(int n, int orders) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"customers/{(int)(n * 7919L % Math.Max(1, orders / PerCustomer))}"
        );

    public const int PerCustomer = 20;

    public static Order Make(int n, int orders) =>
        new()
        {
            Id = IdOf(n),
            Customer = CustomerOf(n, orders),
            City = n % 3 == 0 ? "Oslo" : "Bergen",
            Total = n / 4m,
            Placed = DateTime.UnixEpoch.AddMinutes(n),
            Lines =
            [
                new OrderLine
                {
                    Product = "tea",
                    Price = 4.5m,
                    Quantity = 3,
                },
                new OrderLine
                {
                    Product = "milk",
                    Price = 1.5m,
                    Quantity = 12,
                },
                new OrderLine
                {
                    Product = "bread",
                    Price = 3.25m,
                    Quantity = n % 7,
                },
            ],
        };
}

/// <summary>A line of an order.</summary>
public sealed class OrderLine
{
    public string Product { get; set; } = "";

    public decimal Price { get; set; }

    public int Quantity { get; set; }
}
