using System.Text.Json.Serialization;

namespace Pipeline.Client.Tests.Generated;

internal enum Grade
{
    Middle = 5,
    Low = 1,
    High = 9,
}

internal enum Plain
{
    None,
    One,
    Two,
}

/// <summary>Texts, times and lists of records.</summary>
internal sealed class Parcel
{
    public string? Id { get; set; }

    public string? Sender { get; set; }

    public decimal Price { get; set; }

    public decimal? Discount { get; set; }

    public int Count { get; set; }

    public long? Number { get; set; }

    public bool IsUrgent { get; set; }

    public bool? IsSigned { get; set; }

    public Grade Grade { get; set; }

    public Grade? Wish { get; set; }

    public DateOnly Day { get; set; }

    public DateOnly? Due { get; set; }

    public DateTimeOffset At { get; set; }

    public DateTimeOffset? Left { get; set; }

    public TimeSpan Took { get; set; }

    public Guid Code { get; set; }

    public char Mark { get; set; }

    public Place? From { get; set; }

    public Place To { get; set; } = new();

    public List<string?> Tags { get; set; } = [];

    public List<Item> Items { get; set; } = [];
}

internal sealed class Place
{
    public string? City { get; set; }

    public int Zip { get; set; }

    public double? Latitude { get; set; }

    public Country? Country { get; set; }
}

internal sealed record Country(string? Name, Grade Grade);

internal sealed record Item(
    string? Product,
    decimal Price,
    int? Quantity,
    bool IsGift,
    Grade Grade,
    DateOnly? Due,
    List<string> Labels,
    List<Part>? Parts
);

internal sealed record Part(string Code, int Size);

/// <summary>A record whose members have names of the query language.</summary>
internal sealed record Person(
    string Id,
    string? Name,
    int? Age,
    decimal Balance,
    [property: JsonPropertyName("e-mail")] string? Mail
)
{
    public string? Order { get; init; }

    public int Key { get; init; }

    public DateTime Seen { get; init; }

    public TimeOnly? Wakes { get; init; }

    public Place? Home { get; init; }

    public Plain Plain { get; init; }

    public string?[]? Friends { get; init; }

    public IReadOnlyList<Item>? Wishes { get; init; }
}

/// <summary>Numbers of every kind, to their ends.</summary>
internal sealed class Reading
{
    public string? Id { get; set; }

    public byte Byte { get; set; }

    public short? Short { get; set; }

    public uint Unsigned { get; set; }

    public long Long { get; set; }

    public ulong Huge { get; set; }

    public double Value { get; set; }

    public double? Error { get; set; }

    public decimal Exact { get; set; }

    public string Unit { get; set; } = "";

    public List<int> Codes { get; set; } = [];

    public List<double> Samples { get; set; } = [];

    public Part? Part { get; set; }
}
