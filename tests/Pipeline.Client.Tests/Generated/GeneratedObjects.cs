namespace Pipeline.Client.Tests.Generated;

/// <summary>Makes objects whose values are few, so that conditions and groups meet, and odd.</summary>
internal sealed class GeneratedObjects(Random random)
{
    private static readonly string[] Texts =
    [
        "Ann",
        "ann",
        "ANNA",
        "",
        " ",
        "Zoë",
        "Ålesund",
        "ÅLESUND",
        "O'Hara \\ Co",
        "a.b*c",
        "%_",
        "\"quoted\"",
        "null",
        "true",
        "NULL",
        "*",
        "12",
        "012",
        "2026-01-02",
        "2026-02-30",
        "line\nbreak",
        "tab\t",
        "nul\0x",
        "日本語",
        "日本",
        "𝒳😀",
        "İstanbul",
        "straße",
        "STRASSE",
        "ﬁ",
        "$p0",
        "id()",
        "a,b",
        "{[(",
        "</script>",
        "é",
        "e\u0301",
        "\uFFFD",
        "Я",
        "я",
        "ωΩ",
    ];

    private static readonly double[] Doubles =
    [
        0,
        -0.0,
        1,
        -1,
        0.1,
        0.2,
        0.30000000000000004,
        1e-7,
        123456.789,
        double.MaxValue,
        double.MinValue,
        double.Epsilon,
        1e300,
        5e-324,
        9007199254740993,
        1e16,
    ];
    private static readonly decimal[] Decimals =
    [
        0,
        0.00m,
        1,
        1.0m,
        -1,
        0.1m,
        19.99m,
        1234567890.12m,
        -0.01m,
        decimal.MaxValue,
        decimal.MinValue,
        1e-10m,
    ];
    private static readonly long[] Longs =
    [
        0,
        1,
        -1,
        42,
        int.MaxValue,
        long.MaxValue,
        long.MaxValue - 1,
        -long.MaxValue,
        9007199254740993,
        9007199254740992,
    ];
    private static readonly string Long = new('x', 600);

    public string Text() => random.Next(40) == 0 ? Long + (random.Next(2) == 0 ? "a" : "B") : One(Texts);

    public string? TextOrNull() => random.Next(5) == 0 ? null : Text();

    public T One<T>(IReadOnlyList<T> values) => values[random.Next(values.Count)];

    public Grade Grade() => One<Grade>([Generated.Grade.Low, Generated.Grade.Middle, Generated.Grade.High]);

    public decimal Money() => random.Next(400) / 4m;

    public DateOnly Day() =>
        random.Next(30) == 0
            ? One([DateOnly.MinValue, DateOnly.MaxValue])
            : new DateOnly(2026, 1, 1).AddDays(random.Next(12));

    public DateTimeOffset Time() =>
        random.Next(30) == 0
            ? One([DateTimeOffset.MinValue, DateTimeOffset.MaxValue, DateTimeOffset.UnixEpoch])
            : new DateTimeOffset(
                2026,
                1,
                1,
                random.Next(4),
                random.Next(2) * 30,
                0,
                TimeSpan.FromMinutes(random.Next(-4, 5) * 30)
            ).AddTicks(random.Next(3));

    public TimeSpan Span() =>
        random.Next(8) == 0
            ? One([TimeSpan.Zero, TimeSpan.MinValue, TimeSpan.MaxValue, TimeSpan.FromDays(10)])
            : TimeSpan.FromSeconds(random.Next(-5, 6) * 1800.5);

    public Guid Code() => new(random.Next(4) * 0x3fffffff, 2, 3, 4, 5, 6, 7, 8, 9, 10, (byte)random.Next(3));

    public double Number() => One(Doubles);

    public char Mark() => One<char>(['a', 'A', 'ß', '\0', '"', 'é']);

    public object Of(Type type) =>
        type == typeof(string) ? Text()
        : type == typeof(int) ? random.Next(-1, 8)
        : type == typeof(long) ? One(Longs)
        : type == typeof(ulong) ? One<ulong>([0, 1, 9007199254740992, (ulong)long.MaxValue + 1, ulong.MaxValue])
        : type == typeof(uint) ? One<uint>([0, 1, 7, uint.MaxValue])
        : type == typeof(short) ? One<short>([0, 1, -1, short.MaxValue, short.MinValue])
        : type == typeof(byte) ? One<byte>([0, 1, 255])
        : type == typeof(bool) ? random.Next(2) == 0
        : type == typeof(decimal)
            ? random.Next(4) == 0 ? One(Decimals)
                : Money()
        : type == typeof(double) ? Number()
        : type == typeof(char) ? Mark()
        : type == typeof(Guid) ? Code()
        : type == typeof(DateOnly) ? Day()
        : type == typeof(DateTimeOffset) ? Time()
        : type == typeof(DateTime) ? new DateTime(2026, 1, 1, random.Next(3), 0, 0, DateTimeKind.Utc)
        : type == typeof(TimeOnly)
            ? new TimeOnly(random.Next(3), random.Next(2), 0).Add(TimeSpan.FromTicks(random.Next(2)))
        : type == typeof(TimeSpan) ? Span()
        : type == typeof(Grade) ? Grade()
        : type == typeof(Plain) ? (Plain)random.Next(3)
        : throw new NotSupportedException(type.Name);

    public Parcel Parcel(int number) =>
        new()
        {
            Id = $"parcels/{number:000}",
            Sender = TextOrNull(),
            Price = Money(),
            Discount = Maybe(Money),
            Count = random.Next(6),
            Number = Maybe(() => One(Longs)),
            IsUrgent = random.Next(2) == 0,
            IsSigned = Maybe(() => random.Next(2) == 0),
            Grade = Grade(),
            Wish = Maybe(Grade),
            Day = Day(),
            Due = Maybe(Day),
            At = Time(),
            Left = Maybe(Time),
            Took = Span(),
            Code = Code(),
            Mark = Mark(),
            From = random.Next(4) == 0 ? null : Place(),
            To = Place(),
            Tags = [.. Many(3, TextOrNull)],
            Items = [.. Many(4, Item)],
        };

    public Person Person(int number) =>
        new(
            $"people/{number:000}",
            TextOrNull(),
            Maybe(() => random.Next(20, 30)),
            (decimal)Of(typeof(decimal)),
            TextOrNull()
        )
        {
            Order = TextOrNull(),
            Key = random.Next(4),
            Seen = (DateTime)Of(typeof(DateTime)),
            Wakes = Maybe(() => (TimeOnly)Of(typeof(TimeOnly))),
            Home = random.Next(3) == 0 ? null : Place(),
            Plain = (Plain)random.Next(3),
            Friends = random.Next(5) == 0 ? null : [.. Many(3, TextOrNull)],
            Wishes = random.Next(4) == 0 ? null : [.. Many(3, Item)],
        };

    public Reading Reading(int number) =>
        new()
        {
            Id = $"readings/{number:000}",
            Byte = (byte)Of(typeof(byte)),
            Short = Maybe(() => (short)Of(typeof(short))),
            Unsigned = (uint)Of(typeof(uint)),
            Long = One(Longs),
            Huge = (ulong)Of(typeof(ulong)),
            Value = Number(),
            Error = Maybe(Number),
            Exact = (decimal)Of(typeof(decimal)),
            Unit = Text(),
            Codes = [.. Many(4, () => random.Next(6))],
            Samples = [.. Many(3, Number)],
            Part = random.Next(2) == 0 ? null : Part(),
        };

    private Place Place() =>
        new()
        {
            City = TextOrNull(),
            Zip = random.Next(5),
            Latitude = Maybe(Number),
            Country = random.Next(3) == 0 ? null : new Country(TextOrNull(), Grade()),
        };

    private Item Item() =>
        new(
            TextOrNull(),
            Money(),
            Maybe(() => random.Next(5)),
            random.Next(2) == 0,
            Grade(),
            Maybe(Day),
            [.. Many(3, Text)],
            random.Next(4) == 0 ? null : [.. Many(3, Part)]
        );

    private Part Part() => new(Text(), random.Next(4));

    private IEnumerable<T> Many<T>(int most, Func<T> make) =>
        Enumerable.Range(0, random.Next(most + 1)).Select(_ => make());

    private T? Maybe<T>(Func<T> make)
        where T : struct => random.Next(3) == 0 ? null : make();
}
