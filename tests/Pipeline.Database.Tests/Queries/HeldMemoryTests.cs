using System.Globalization;
using System.Text;
using Pipeline.Database.Queries;
using Xunit;

namespace Pipeline.Database.Tests.Queries;

/// <summary>What a query's answer holds beside its documents is told to whoever counts a request's memory.</summary>
public sealed class HeldMemoryTests
{
    private const int Count = 200;

    [Theory]
    [InlineData("from Notes where search(Text, 'word') select id()", "include highlight(Text, 1000, 5)", 1_000)]
    [InlineData("from Notes where search(Text, 'word') select id()", "include explanations()", 96)]
    public async Task An_addition_to_each_result_is_counted(string query, string addition, long bytesOfEach)
    {
        await using var database = await OpenAsync();
        long plain = await HeldAsync(database, query),
            more = await HeldAsync(database, $"{query} {addition}");
        Assert.InRange(more - plain, Count * bytesOfEach, Count * bytesOfEach * 100);
    }

    [Fact]
    public async Task Each_suggestion_is_counted()
    {
        await using var database = await OpenAsync();
        string one = await TextAsync("'{\"Accuracy\":0.1,\"PageSize\":1}'"),
            all = await TextAsync("'{\"Accuracy\":0.1,\"PageSize\":1000}'");
        Assert.InRange(await HeldAsync(database, all) - await HeldAsync(database, one), 150 * 40, 1 << 20);

        async Task<string> TextAsync(string options)
        {
            var text = $"from Notes select suggest(Name, 'name', {options})";
            await database.QueryAsync(new QueryRequest(text));
            return text;
        }
    }

    private static async Task<long> HeldAsync(DocumentDatabase database, string query)
    {
        long held = 0;
        await database.QueryAsync(new QueryRequest(query) { Take = Count, OnHeld = bytes => held += bytes });
        return held;
    }

    private static async Task<DocumentDatabase> OpenAsync()
    {
        var database = DocumentDatabase.Open(new DatabaseOptions { Name = "held" });
        var text = string.Concat(Enumerable.Repeat("a word of many that stand in this long text ", 100));
        await database.WriteAsync(t =>
        {
            for (var n = 0; n < Count; n++)
            {
                t.Put(
                    string.Create(CultureInfo.InvariantCulture, $"notes/{n}"),
                    Encoding.UTF8.GetBytes(
                        $$$"""{"Text":"{{{text}}}","Name":"name{{{n}}}","@metadata":{"@collection":"Notes"}}"""
                    )
                );
            }
        });
        return database;
    }
}
