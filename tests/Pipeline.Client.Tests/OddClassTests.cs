using System.Text.Json;
using System.Text.Json.Serialization;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>
/// Classes as programs have them: every kind of member and accessor survives a load, a change and a save, and can be
/// queried.
/// </summary>
public sealed class OddClassTests
{
    public static TheoryData<bool, bool> WaysAndNames =>
        new()
        {
            { false, false },
            { false, true },
            { true, false },
            { true, true },
        };

    [Theory]
    [MemberData(nameof(WaysAndNames))]
    public async Task Every_member_survives_load_change_and_save(bool isRemote, bool isCamel)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote, Options(isCamel));
        await StoreAsync(f);
        await using (var session = f.Store.OpenSession())
        {
            var device = (await session.LoadAsync<Device>("devices/1"))!;
            Check(device);
            Assert.False(session.Advanced.HasChanges);
            device.Rename("second");
            device.Tags.Add("z");
            await session.SaveChangesAsync();
        }

        await using (var session = f.Store.OpenSession())
        {
            var device = (await session.LoadAsync<Device>("devices/1"))!;
            Assert.Equal(("second", "a,b,z"), (device.Name, string.Join(',', device.Tags)));
            device.Rename("first");
            device.Tags.Remove("z");
            Check(device);
        }
    }

    [Theory]
    [MemberData(nameof(WaysAndNames))]
    public async Task Every_member_can_be_asked_for(bool isRemote, bool isCamel)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote, Options(isCamel));
        await StoreAsync(f);
        await using var session = f.Store.OpenSession();
        var devices = session.Query<Device>();
        var code = new Guid("0f8fad5b-d9cb-469f-a165-70867728950e");
        IQueryable<Device>[] asked =
        [
            devices.Where(d => d.Name == "first"),
            devices.Where(d => d.Serial == "x-1"),
            devices.Where(d => d.Code == code),
            devices.Where(d => d.Grade == Grade.High),
            devices.Where(d => d.Grade != null && d.Grade != Grade.Low),
            devices.Where(d => d.Since == new DateOnly(2026, 2, 3)),
            devices.Where(d => d.Wakes >= new TimeOnly(7, 30) && d.Wakes < new TimeOnly(8, 0)),
            devices.Where(d => d.Took == TimeSpan.FromMinutes(90)),
            devices.Where(d => d.Price == 12.5m && d.Price > 12.49m),
            devices.Where(d => d.Tags.Contains("b")),
            devices.Where(d => d.Names["en"] == "lamp"),
            devices.Where(d => d.Limits["day"]["max"] > 3),
            devices.Where(d => d.Parts.Any(p => p.Label == "plug")),
            devices.Where(d => d.Marked == "m"),
            devices.Where(d => d.Owner!.City == "Oslo"),
        ];
        foreach (var query in asked)
            Check(Assert.Single(await query.ToListAsync()));
        Assert.Empty(await devices.Where(d => d.Names["de"] == "lamp" || d.Grade == null).ToListAsync());
        var row = await devices
            .Select(d => new
            {
                d.Grade,
                d.Since,
                d.Big,
                Max = d.Limits["day"]["max"],
                First = d.Parts[0].Label,
                d.Name,
            })
            .SingleAsync();
        Assert.Equal(
            (
                Grade.High,
                new DateOnly(2026, 2, 3),
                Int128.Parse("170141183460469231731687303715884105727", null),
                5,
                "plug",
                "first"
            ),
            (row.Grade, row.Since, row.Big, row.Max, row.First, row.Name)
        );
    }

    private static DocumentStoreOptions Options(bool isCamel) =>
        isCamel
            ? new() { Json = new(JsonSerializerDefaults.Web) { DictionaryKeyPolicy = JsonNamingPolicy.CamelCase } }
            : new();

    private static async Task StoreAsync(ClientFixture f)
    {
        await using var session = f.Store.OpenSession();
        var device = new Device("devices/1")
        {
            Serial = "x-1",
            Code = new Guid("0f8fad5b-d9cb-469f-a165-70867728950e"),
            Grade = Grade.High,
            Since = new DateOnly(2026, 2, 3),
            Wakes = new TimeOnly(7, 30, 0, 250),
            Took = TimeSpan.FromMinutes(90),
            Price = 12.50m,
            Big = Int128.MaxValue,
            Data = [1, 2, 255],
            Marked = "m",
            Owner = new Home("Oslo", new Home("Bergen", null)),
            Names = new() { ["en"] = "lamp", ["no"] = "lampe" },
            Limits = new() { ["day"] = new() { ["max"] = 5 } },
            Counts = new() { [3] = 4 },
            Parts = [new Plug { Label = "plug", Pins = 3 }, new Shade { Label = "shade", Colour = "red" }],
        };
        device.Rename("first");
        device.Tags.Add("a");
        device.Tags.Add("b");
        session.Store(device);
        await session.SaveChangesAsync();
    }

    private static void Check(Device device)
    {
        Assert.Equal(
            ("devices/1", "first", "x-1", Grade.High, new DateOnly(2026, 2, 3), new TimeOnly(7, 30, 0, 250)),
            (device.Id, device.Name, device.Serial, device.Grade, device.Since, device.Wakes)
        );
        Assert.Equal(
            (TimeSpan.FromMinutes(90), 12.50m, Int128.MaxValue, "m", new Home("Oslo", new Home("Bergen", null))),
            (device.Took, device.Price, device.Big, device.Marked, device.Owner!)
        );
        Assert.Equal([1, 2, 255], device.Data);
        Assert.Equal(["a", "b"], device.Tags);
        Assert.Equal(("lampe", 5, 4), (device.Names["no"], device.Limits["day"]["max"], device.Counts[3]));
        Assert.Equal((3, "red"), (((Plug)device.Parts[0]).Pins, ((Shade)device.Parts[1]).Colour));
    }

    internal enum Grade
    {
        Low,
        High,
    }

    internal sealed class Device(string id)
    {
        public string Id { get; } = id;

        public string? Name { get; private set; }

        public required string Serial { get; init; }

        public Guid Code { get; init; }

        public Grade? Grade { get; set; }

        public DateOnly Since { get; set; }

        public TimeOnly Wakes { get; set; }

        public TimeSpan Took { get; set; }

        public decimal Price { get; set; }

        public Int128 Big { get; set; }

        public byte[] Data { get; set; } = [];

        public ISet<string> Tags { get; } = new SortedSet<string>(StringComparer.Ordinal);

        public Dictionary<string, string> Names { get; set; } = [];

        public Dictionary<string, Dictionary<string, int>> Limits { get; set; } = [];

        public Dictionary<int, int> Counts { get; set; } = [];

        public List<Piece> Parts { get; init; } = [];

        [JsonPropertyName("odd name")]
        public string? Marked { get; set; }

        public Home? Owner { get; set; }

        public int PartCount => Parts.Count;

        public void Rename(string name) => Name = name;
    }

    internal sealed record Home(string City, Home? Former);

    [JsonDerivedType(typeof(Plug), "plug")]
    [JsonDerivedType(typeof(Shade), "shade")]
    internal abstract class Piece
    {
        public string? Label { get; set; }
    }

    internal sealed class Plug : Piece
    {
        public int Pins { get; set; }
    }

    internal sealed class Shade : Piece
    {
        public string? Colour { get; set; }
    }
}
