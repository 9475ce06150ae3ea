using System.Text.Json.Nodes;
using Xunit;

namespace Pipeline.IntegrationTests.WholePath;

/// <summary>One message as an independent client read it.</summary>
internal sealed record Received(
    string Destination,
    string? Key,
    JsonNode Body,
    IReadOnlyDictionary<string, string> Attributes
)
{
    /// <summary>
    /// Compares all messages with the expected ones: the same set, the same order for each key, every attribute.
    /// </summary>
    /// <param name="expected">What must have come.</param>
    /// <param name="received">What came.</param>
    /// <param name="databaseId">The database's id, the first part of each message's.</param>
    /// <param name="ordered">Whether the target keeps the order of a key.</param>
    public static void AssertSame(
        IReadOnlyCollection<Expected> expected,
        IReadOnlyCollection<Received> received,
        string databaseId,
        bool ordered = true
    )
    {
        var byId = received.ToDictionary(r => (r.Destination, r.Attributes["id"]));
        Assert.Equal(expected.Count, received.Count);
        foreach (var wanted in expected)
        {
            Assert.True(
                byId.TryGetValue((wanted.Destination, $"{databaseId}/{wanted.Id}"), out var got),
                $"{wanted.Destination} lacks {wanted.Id}"
            );
            Assert.True(
                Same(wanted.Body, got.Body),
                $"{wanted.Id}: {got.Body.ToJsonString()} is not {wanted.Body.ToJsonString()}"
            );
            Assert.Equal(wanted.Key, got.Key);
            Assert.Equal(wanted.Source, got.Attributes["source"]);
            Assert.Equal(wanted.Type, got.Attributes["type"]);
            Assert.Equal(wanted.Subject, got.Attributes["subject"]);
            Assert.Equal("1.0", got.Attributes["specversion"]);
            Assert.Equal("application/json", got.Attributes["datacontenttype"]);
            Assert.InRange(
                DateTimeOffset.Parse(got.Attributes["time"]),
                DateTimeOffset.UtcNow.AddHours(-1),
                DateTimeOffset.UtcNow
            );
        }

        if (!ordered)
            return;
        foreach (var key in expected.GroupBy(e => (e.Destination, Key: e.Key ?? e.Subject)))
        {
            Assert.Equal(
                key.Select(e => $"{databaseId}/{e.Id}"),
                received
                    .Where(r =>
                        r.Destination == key.Key.Destination && (r.Key ?? r.Attributes["subject"]) == key.Key.Key
                    )
                    .Select(r => r.Attributes["id"])
            );
        }
    }

    // Numbers by value: 10.50 and 10.5 are one number.
    private static bool Same(JsonNode? a, JsonNode? b) =>
        (a, b) switch
        {
            (JsonObject x, JsonObject y) => x.Count == y.Count
                && x.All(p => y.ContainsKey(p.Key) && Same(p.Value, y[p.Key])),
            (JsonArray x, JsonArray y) => x.Count == y.Count && x.Zip(y).All(p => Same(p.First, p.Second)),
            (JsonValue x, JsonValue y)
                when x.GetValueKind() == System.Text.Json.JsonValueKind.Number
                    && y.GetValueKind() == System.Text.Json.JsonValueKind.Number => Value(x) == Value(y),
            _ => JsonNode.DeepEquals(a, b),
        };

    private static decimal Value(JsonValue number) =>
        decimal.Parse(
            number.ToJsonString(),
            System.Globalization.NumberStyles.Float,
            System.Globalization.CultureInfo.InvariantCulture
        );
}
