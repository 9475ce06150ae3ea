using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Pipeline.TestKit;
using Xunit;

namespace Pipeline.Client.Tests.Generated;

/// <summary>
/// The test loads random documents, changes one member and saves. All other members keep their values, at any depth,
/// also those that the class lacks.
/// <c>PIPELINE_FUZZ_MINUTES</c> and <c>PIPELINE_SEED</c> make other runs.
/// </summary>
public sealed partial class GeneratedRoundTripTests
{
    private static readonly string[] OddTexts =
    [
        "",
        "ü\u0000",
        "\\\"",
        "</b>&",
        "日本😀",
        "$type",
        "2026-01-02T00:00:00Z",
        " ",
    ];
    private static readonly string[] OddNumbers =
    [
        "0",
        "-0",
        "1.50",
        "1e400",
        "123456789012345678901234567890.10",
        "0.1E-5",
        "9007199254740993",
    ];

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task Everything_but_the_changed_member_stays(bool isRemote, bool isGenerated)
    {
        var options = isGenerated
            ? new DocumentStoreOptions { Json = new JsonSerializerOptions { TypeInfoResolver = ThingJson.Default } }
            : new DocumentStoreOptions();
        await using var f = await ClientFixture.OpenAsync(isRemote, options);
        var run = new FuzzRun(shortRounds: 150, usualSeed: 20261123);
        var random = new Random(run.Seed);
        while (run.Next())
        {
            var id = "things/" + run.Rounds.ToString(CultureInfo.InvariantCulture);
            var before = Thing(random, isGenerated);
            await f.Database.PutAsync(
                id,
                Encoding.UTF8.GetBytes(
                    before
                        .ToJsonString()
                        .Insert(
                            1,
                            """
                            "@metadata":{"@collection":"Things","Mine":{"a":[1.0]}},
                            """
                        )
                )
            );
            var expected = JsonNode.Parse(Body(f, id))!.AsObject();
            var path = await ChangeAsync(f, id, expected, random);
            var after = JsonNode.Parse(Body(f, id))!;
            Assert.True(
                Same(expected, after, out var place),
                $"round {run.Rounds}, seed {run.Seed}: {path} was changed, but {place} differs\nbefore {before.ToJsonString()}\nafter  {after.ToJsonString()}"
            );
            using var snapshot = f.Database.OpenSnapshot();
            Assert.True(snapshot.TryGet(id, out var stored));
            Assert.Equal("Things", stored.Collection);
            Assert.Contains("\"Mine\":{\"a\":[1.0]}", stored.ToString(), StringComparison.Ordinal);
        }
    }

    /// <summary>Changes one member by a session, and the same in the expected document.</summary>
    private static async Task<string> ChangeAsync(ClientFixture f, string id, JsonObject expected, Random random)
    {
        await using var session = f.Store.OpenSession();
        var thing =
            random.Next(2) == 0
                ? (await session.LoadAsync<Thing>(id))!
                : await session.Query<Thing>().SingleAsync(t => t.Id == id);
        Assert.Equal(id, thing.Id);
        Assert.False(session.Advanced.HasChanges);
        string path;
        switch (random.Next(7))
        {
            case 0:
                (path, thing.Name, expected["Name"]) = ("Name", "changed", "changed");
                break;
            case 1:
                (path, thing.Price, expected["Price"]) = ("Price", 7.250m, JsonNode.Parse("7.250"));
                break;
            case 2:
                (path, thing.Grade, expected["Grade"]) = (
                    "Grade",
                    Grade.Low,
                    f.Store.Options.Json is null ? "Low" : JsonValue.Create(1)
                );
                break;
            case 3 when thing.Inner is not null:
                thing.Inner = thing.Inner with { Size = 77 };
                (path, expected["Inner"]!["Size"]) = ("Inner.Size", 77);
                break;
            case 4 when thing.Rows.Count > 0:
                var row = random.Next(thing.Rows.Count);
                thing.Rows[row] = thing.Rows[row] with { Amount = 0.5m };
                (path, expected["Rows"]![row]!["Amount"]) = ($"Rows[{row}].Amount", 0.5m);
                break;
            case 5 when thing.Rows.Count > 0:
                var gone = random.Next(thing.Rows.Count);
                thing.Rows.RemoveAt(gone);
                expected["Rows"]!.AsArray().RemoveAt(gone);
                path = $"Rows[{gone}] removed";
                break;
            default:
                thing.Shape = new Circle { Radius = 2.5 };
                expected["Shape"] = JsonNode.Parse("""{"$type":"circle","Radius":2.5}""");
                path = "Shape";
                break;
        }

        await session.SaveChangesAsync();
        return path;
    }

    private static JsonObject Thing(Random random, bool isGenerated)
    {
        var thing = new JsonObject
        {
            ["Name"] = Text(random),
            ["Price"] = JsonNode.Parse(Number(random, isDecimal: true)),
            ["Grade"] = isGenerated ? 9 : "High",
            ["Day"] = random.Next(2) == 0 ? null : "2026-01-02",
            ["Inner"] =
                random.Next(3) == 0 ? null : new JsonObject { ["Size"] = random.Next(9), ["Text"] = Text(random) },
            ["Rows"] = new JsonArray([
                .. Enumerable
                    .Range(0, random.Next(4))
                    .Select(i =>
                        (JsonNode)With(
                            random,
                            new JsonObject
                            {
                                ["Key"] = "k" + i,
                                ["Amount"] = JsonNode.Parse(Number(random, isDecimal: true)),
                            }
                        )
                    ),
            ]),
            ["Shape"] = random.Next(3) switch
            {
                0 => null,
                1 => new JsonObject { ["$type"] = "circle", ["Radius"] = 1.5 },
                _ => new JsonObject { ["$type"] = "square", ["Side"] = 3 },
            },
        };
        if (thing["Inner"] is JsonObject inner)
            With(random, inner);
        return With(random, thing);
    }

    /// <summary>Puts members that no class has before, behind and between the others.</summary>
    private static JsonObject With(Random random, JsonObject target)
    {
        for (var i = random.Next(3); i > 0; i--)
        {
            target.Insert(
                random.Next(target.Count + 1),
                "x" + i.ToString(CultureInfo.InvariantCulture) + Text(random),
                Any(random, 3)
            );
        }

        if (target["$type"] is { } type)
        {
            target.Remove("$type");
            target.Insert(0, "$type", type.DeepClone());
        }

        return target;
    }

    private static JsonNode? Any(Random random, int depth) =>
        random.Next(depth > 0 ? 6 : 4) switch
        {
            0 => null,
            1 => Text(random),
            2 => JsonNode.Parse(Number(random, isDecimal: false)),
            3 => random.Next(2) == 0,
            4 => new JsonArray([.. Enumerable.Range(0, random.Next(3)).Select(_ => Any(random, depth - 1))]),
            _ => new JsonObject(
                Enumerable.Range(0, random.Next(3)).Select(i => KeyValuePair.Create("m" + i, Any(random, depth - 1)))
            ),
        };

    private static string Text(Random random) => OddTexts[random.Next(OddTexts.Length)];

    private static string Number(Random random, bool isDecimal) =>
        isDecimal
            ? (random.Next(1000) / 100m).ToString("0.00", CultureInfo.InvariantCulture)
            : OddNumbers[random.Next(OddNumbers.Length)];

    private static string Body(ClientFixture f, string id)
    {
        using var snapshot = f.Database.OpenSnapshot();
        return snapshot.TryGet(id, out var document)
            ? document.Body.Root.ToString()
            : throw new InvalidOperationException(id);
    }

    /// <summary>Whether two documents have the same members; numbers keep their text, members their names.</summary>
    private static bool Same(JsonNode? expected, JsonNode? found, out string place)
    {
        place = found?.GetPath() ?? expected?.GetPath() ?? "$";
        switch (expected, found)
        {
            case (null, null):
                return true;
            case (JsonObject a, JsonObject b):
                if (
                    !a.Select(m => m.Key)
                        .Order(StringComparer.Ordinal)
                        .SequenceEqual(b.Select(m => m.Key).Order(StringComparer.Ordinal))
                )
                {
                    return false;
                }

                foreach (var (name, value) in a)
                {
                    if (!Same(value, b[name], out place))
                        return false;
                }

                return true;
            case (JsonArray a, JsonArray b):
                if (a.Count != b.Count)
                    return false;
                for (var i = 0; i < a.Count; i++)
                {
                    if (!Same(a[i], b[i], out place))
                        return false;
                }

                return true;
            case (JsonValue a, JsonValue b):
                return a.ToJsonString() == b.ToJsonString();
            default:
                return false;
        }
    }
}

internal sealed class Thing
{
    public string? Id { get; set; }

    public required string Name { get; set; }

    public decimal Price { get; set; }

    public Grade Grade { get; set; }

    public DateOnly? Day { get; set; }

    public Inner? Inner { get; set; }

    public List<Row> Rows { get; set; } = [];

    public Shape? Shape { get; set; }
}

internal sealed record Inner(int Size, string? Text);

internal sealed record Row(string Key, decimal Amount);

[JsonPolymorphic]
[JsonDerivedType(typeof(Circle), "circle")]
[JsonDerivedType(typeof(Square), "square")]
internal abstract class Shape;

internal sealed class Circle : Shape
{
    public double Radius { get; set; }
}

internal sealed class Square : Shape
{
    public int Side { get; set; }
}

[JsonSerializable(typeof(Thing))]
internal sealed partial class ThingJson : JsonSerializerContext;
