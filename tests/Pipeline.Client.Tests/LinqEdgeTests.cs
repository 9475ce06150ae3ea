using System.Text.Json.Serialization;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>Values and names at the edge, which generated queries have found.</summary>
public sealed class LinqEdgeTests
{
    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Conditions_on_ids_are_counted(bool isRemote)
    {
        await using var f = await OpenAsync(isRemote);
        await using var session = f.Store.OpenSession();
        var probes = session.Query<Probe>();
        Assert.Equal(2, await probes.CountAsync(p => p.Id != "probes/1"));
        Assert.Equal(3, await probes.CountAsync(p => p.Id!.StartsWith("probes/")));
        Assert.True(await probes.AnyAsync(p => p.Id == "probes/2"));
        Assert.Equal(
            3,
            (await probes.Where(p => p.Id!.StartsWith("probes/")).Take(0).ToResultsAsync()).Statistics.Total
        );
        Assert.Empty(await probes.Where(p => p.Id == "probes/").ToListAsync());
        Assert.Equal(0, await probes.CountAsync(p => p.Id == "probes|"));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Characters_and_case_beyond_ASCII_are_compared_as_in_memory(bool isRemote)
    {
        await using var f = await OpenAsync(isRemote);
        await using var session = f.Store.OpenSession();
        var probes = session.Query<Probe>();
        Assert.Equal("probes/1", (await probes.SingleAsync(p => p.Mark == 'a')).Id);
        Assert.Equal(2, await probes.CountAsync(p => p.Mark != 'a'));
        Assert.Equal("probes/2", (await probes.SingleAsync(p => new[] { 'A', 'x' }.Contains(p.Mark))).Id);
        Assert.Equal(1, await probes.CountAsync(p => p.Text!.Contains("ÅLE", StringComparison.OrdinalIgnoreCase)));
        Assert.Equal(0, await probes.CountAsync(p => p.Text!.Contains("ÅLE", StringComparison.Ordinal)));
        Assert.Equal(1, await probes.CountAsync(p => p.Text!.Equals("2026-01-02", StringComparison.OrdinalIgnoreCase)));
        Assert.Equal(1, await probes.CountAsync(p => p.Text!.EndsWith("02", StringComparison.OrdinalIgnoreCase)));
        var refused = Assert.Throws<UnsupportedExpressionException>(
            probes.Where(p => p.Took > TimeSpan.Zero).ToQueryString
        );
        Assert.Contains("TimeSpan is stored as a text", refused.Message, StringComparison.Ordinal);
        Assert.Throws<UnsupportedExpressionException>(probes.OrderBy(p => p.Took).ToQueryString);
        Assert.Throws<UnsupportedExpressionException>(
            probes.Where(p => p.Parts.Any(x => x.Size.HasValue)).ToQueryString
        );
        Assert.Throws<UnsupportedExpressionException>(probes.Where(p => p.Hidden == "x").ToQueryString);
    }

    [Fact]
    public async Task Conversions_that_change_a_number_are_refused()
    {
        await using var f = await OpenAsync(isRemote: false);
        await using var session = f.Store.OpenSession();
        var probes = session.Query<Probe>();
        Assert.Equal(1, await probes.CountAsync(p => p.Share == 0.1f));
        Assert.Equal(1, await probes.CountAsync(p => p.Share > 0.0625 && p.Size == 7L));
        Assert.Contains(
            "0.1f",
            Assert.Throws<UnsupportedExpressionException>(probes.Where(p => p.Share > 0.1).ToQueryString).Message,
            StringComparison.Ordinal
        );
        Assert.Throws<UnsupportedExpressionException>(probes.Where(p => (int)p.Size == 7).ToQueryString);
        Assert.Throws<UnsupportedExpressionException>(probes.Where(p => (uint)p.Group == 0).ToQueryString);
        Assert.Throws<UnsupportedExpressionException>(probes.Where(p => (long)p.Value == 1).ToQueryString);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Members_named_like_words_of_the_language_are_selected_within_others(bool isRemote)
    {
        await using var f = await OpenAsync(isRemote);
        await using var session = f.Store.OpenSession();
        var found = await session
            .Query<Probe>()
            .Where(p => p.From!.Code == "x")
            .Select(p => new
            {
                p.From!.Code,
                p.From.Order,
                p.From.Odd,
            })
            .ToListAsync();
        Assert.Equal("{ Code = x, Order = 7, Odd = 8 }", Assert.Single(found).ToString());
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task The_smallest_and_greatest_numbers_keep_their_place(bool isRemote)
    {
        await using var f = await OpenAsync(isRemote);
        await using var session = f.Store.OpenSession();
        var ends = await session
            .Query<Probe>()
            .GroupBy(p => p.Group)
            .Select(g => new { Least = g.Min(p => p.Value), Sum = g.Sum(p => p.Value) })
            .SingleAsync();
        Assert.Equal((double.Epsilon, 1e300 + 1), (ends.Least, ends.Sum));
        Assert.Equal(
            ["probes/3", "probes/2", "probes/1"],
            await session.Query<Probe>().OrderByDescending(p => p.Huge).Select(p => p.Id).ToListAsync()
        );
    }

    private static async Task<ClientFixture> OpenAsync(bool isRemote)
    {
        var f = await ClientFixture.OpenAsync(isRemote);
        await using var session = f.Store.OpenSession();
        session.Store(
            new Probe
            {
                Id = "probes/1",
                Mark = 'a',
                Text = "Ålesund",
                Value = double.Epsilon,
                Huge = 1,
                Share = 0.1f,
                Size = 7,
                From = new Origin("x", 7, 8),
            }
        );
        session.Store(
            new Probe
            {
                Id = "probes/2",
                Mark = 'A',
                Text = "2026-01-02",
                Value = 1,
                Huge = (ulong)long.MaxValue + 1,
            }
        );
        session.Store(
            new Probe
            {
                Id = "probes/3",
                Mark = '"',
                Value = 1e300,
                Huge = ulong.MaxValue,
                Parts = [new Part(null)],
            }
        );
        await session.SaveChangesAsync();
        return f;
    }

    private sealed class Probe
    {
        public string? Id { get; set; }

        public char Mark { get; set; }

        public string? Text { get; set; }

        public double Value { get; set; }

        public ulong Huge { get; set; }

        public int Group { get; set; }

        public float Share { get; set; }

        public uint Size { get; set; }

        public TimeSpan Took { get; set; }

        public Origin? From { get; set; }

        public List<Part> Parts { get; set; } = [];

        [JsonIgnore]
        public string? Hidden { get; set; }
    }

    private sealed record Origin(string Code, int Order, [property: JsonPropertyName("odd-name")] int Odd);

    private sealed record Part(int? Size);
}
