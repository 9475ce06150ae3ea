using System.Text;
using System.Text.Json;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;

namespace Pipeline.TestKit.Indexing;

/// <summary>
/// The index of cities for workload Q3: Name as text, Country and Feature exact, Population as a number, Location as a
/// point.
/// </summary>
public static class CityIndex
{
    /// <summary>Indexes the cities.</summary>
    public static async Task BuildAsync(IndexStore index, IReadOnlyList<byte[]> lines)
    {
        var exact = new FieldOptions { Indexing = TermForm.Exact };
        var (name, country, feature) = (
            index.Field("Name", new FieldOptions { Indexing = TermForm.Search }),
            index.Field("Country", exact),
            index.Field("Feature", exact)
        );
        var (population, location) = (index.Field("Population"), index.Field("Location"));
        var buffer = new TokenBuffer();
        using var batch = index.NewBatch(1L << 32);
        foreach (var line in lines)
        {
            using var city = JsonDocument.Parse(line);
            var root = city.RootElement;
            var entry = batch.Begin(Bytes(root.GetProperty("@metadata").GetProperty("@id")));
            entry.BeginText(name);
            foreach (var token in Analyzers.Standard.Tokens(Bytes(root.GetProperty("Name")), buffer))
                entry.AddToken(name, token.Term, token.PositionIncrement);
            entry.AddText(country, Bytes(root.GetProperty("Country")));
            entry.AddText(feature, Bytes(root.GetProperty("Feature")));
            entry.AddLong(population, root.GetProperty("Population").GetInt64());
            entry.AddPoint(
                location,
                root.GetProperty("Latitude").GetDouble(),
                root.GetProperty("Longitude").GetDouble()
            );
            entry.End();
        }

        await index.CommitAsync([batch], progress: 1);
    }

    private static byte[] Bytes(JsonElement text) => Encoding.UTF8.GetBytes(text.GetString()!);
}
