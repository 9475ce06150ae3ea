using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using Xunit;

namespace Pipeline.Client.Tests.Generated;

/// <summary>
/// Runs a query with one of the methods that run queries, and compares its results with those in memory.
/// </summary>
/// <param name="random">Chooses the method.</param>
internal sealed class QueryComparison(Random random)
{
    private static readonly JsonSerializerOptions Json = new()
    {
        IncludeFields = true,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        Converters = { new JsonStringEnumConverter() },
    };

    /// <summary>What was run last, for messages.</summary>
    public string Text { get; private set; } = "";

    /// <summary>Checks a query on each way.</summary>
    /// <exception cref="UnsupportedExpressionException">The client refuses the query.</exception>
    public async Task CheckAsync<T>(IReadOnlyList<IQueryable<T>> asked, IEnumerable<T> memory, bool isOrdered)
    {
        List<T> expected = [.. memory];
        var method = random.Next(isOrdered ? 14 : 10);
        for (var way = 0; way < asked.Count; way++)
        {
            var query = asked[way];
            Text = $"{(way == 0 ? "embedded" : "remote")}, {query.Expression}";
            Text += "\n" + query.ToQueryString();
            switch (method)
            {
                case 0:
                    Assert.Equal(expected.Count, await query.CountAsync());
                    break;
                case 1:
                    Assert.Equal(expected.Count, await query.LongCountAsync());
                    break;
                case 2:
                    Assert.Equal(expected.Count > 0, await query.AnyAsync());
                    break;
                case 3:
                    var streamed = new List<T>();
                    await foreach (var item in query.AsAsyncEnumerable())
                        streamed.Add(item);
                    Same(expected, streamed, isOrdered);
                    break;
                case 4:
                    await SingleAsync(expected, query);
                    break;
                case 10:
                    Same(expected.Take(1), [(await query.FirstOrDefaultAsync())!], isOrdered, isEmptyDefault: true);
                    break;
                case 11 when expected.Count > 0:
                    Same(expected.Take(1), [await query.FirstAsync()], isOrdered);
                    break;
                case 11:
                    await Assert.ThrowsAsync<InvalidOperationException>(async () => await query.FirstAsync());
                    break;
                default:
                    Same(expected, await query.ToListAsync(), isOrdered);
                    break;
            }
        }
    }

    private static async Task SingleAsync<T>(List<T> expected, IQueryable<T> query)
    {
        if (expected.Count == 1)
            Same(expected, [await query.SingleAsync()], isOrdered: true);
        else
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await query.SingleAsync());
        if (expected.Count > 1)
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await query.SingleOrDefaultAsync());
        else
            Same(expected, [(await query.SingleOrDefaultAsync())!], isOrdered: true, isEmptyDefault: true);
    }

    private static void Same<T>(
        IEnumerable<T> expected,
        IReadOnlyList<T> found,
        bool isOrdered,
        bool isEmptyDefault = false
    )
    {
        List<string> wanted = [.. expected.Select(Written)],
            got = [.. found.Select(Written)];
        if (isEmptyDefault && wanted.Count == 0)
            wanted.Add(Written(default(T)));
        if (!isOrdered)
        {
            wanted.Sort(StringComparer.Ordinal);
            got.Sort(StringComparer.Ordinal);
        }

        if (!wanted.SequenceEqual(got))
        {
            Assert.Fail(
                $"expected {wanted.Count}, found {got.Count}{(isOrdered ? ", in order" : "")}\nmissing: {Few(wanted.Except(got))}\ntoo many: {Few(got.Except(wanted))}\nexpected: {Few(wanted)}\nfound: {Few(got)}"
            );
        }
    }

    private static string Few(IEnumerable<string> texts) =>
        string.Join(" | ", texts.Take(6).Select(t => t.Length > 300 ? t[..300] : t));

    /// <summary>
    /// A value as text; equal numbers are the same text, and doubles that were summed in another order, too.
    /// </summary>
    private static string Written<T>(T value)
    {
        using var json = JsonDocument.Parse(JsonSerializer.SerializeToUtf8Bytes(value, Json));
        return Normal(json.RootElement);
    }

    private static string Normal(JsonElement value) =>
        value.ValueKind switch
        {
            JsonValueKind.Object => "{"
                + string.Join(',', value.EnumerateObject().Select(m => m.Name + ":" + Normal(m.Value)))
                + "}",
            JsonValueKind.Array => "[" + string.Join(',', value.EnumerateArray().Select(Normal)) + "]",
            JsonValueKind.Number
                when value.TryGetDecimal(out var number)
                    && !value.GetRawText().Contains('E', StringComparison.OrdinalIgnoreCase) => (
                number / 1.000000000000000000000000000000000m
            ).ToString(CultureInfo.InvariantCulture),
            JsonValueKind.Number => (value.GetDouble() + 0.0).ToString("R", CultureInfo.InvariantCulture),
            _ => value.GetRawText(),
        };
}
