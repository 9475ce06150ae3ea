using System.Globalization;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;
using Xunit;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>
/// Field options in definitions, and the weights that definitions and maps set, as seen in query results.
/// </summary>
public sealed class BoostTests
{
    private static readonly IndexWait Wait = new(TimeSpan.FromSeconds(60));

    [Fact]
    public async Task Values_and_entries_are_weighed_by_the_map()
    {
        await using var db = IndexedDatabase.Open();
        const string fields = "o.Name, Note = o.Note.Boost(o.Weight), Title = (o.Title + \"\").Boost(3)";
        await db.Indexes.PutAsync(
            Text("Plain", "from o in docs.Orders select new { o.Name, o.Note, Title = o.Title + \"\" }")
        );
        await db.Indexes.PutAsync(Text("Values", $"from o in docs.Orders select new {{ {fields} }}"));
        await db.Indexes.PutAsync(Text("Entries", $"docs.Orders.Select(o => new {{ {fields} }}.Boost(o.Rank))"));
        var random = new Random(5);
        var factors = new Dictionary<string, (double Weight, double Rank)>();
        for (var i = 0; i < 300; i++)
        {
            // Some have no weight, which is 1, and some none at all.
            double? weight = random.Next(3) == 0 ? null : random.Next(0, 40) / 4.0,
                rank = random.Next(3) == 0 ? null : random.Next(0, 5);
            factors[$"orders/{i}"] = (weight ?? 1, rank ?? 1);
            var words = string.Join(' ', Enumerable.Range(0, random.Next(1, 9)).Select(_ => $"w{random.Next(6)}"));
            await db.PutAsync(
                $"orders/{i}",
                "Orders",
                string.Create(
                    CultureInfo.InvariantCulture,
                    $$"""{"Name":"n{{i % 3}}","Note":"{{words}}","Title":"w{{random.Next(3)}}","Weight":{{weight?.ToString(CultureInfo.InvariantCulture) ?? "null"}},"Rank":{{rank?.ToString(CultureInfo.InvariantCulture) ?? "null"}}}"""
                )
            );
        }

        string[] conditions =
        [
            "search(Note, 'w1 w2')",
            "search(Note, 'w1') and Name = 'n1'",
            "search(Note, 'w1 w2 w3 w4') and not Name = 'n2'",
            "Note = 'w3 w1'",
        ];
        foreach (var where in conditions)
        {
            var plain = await ScoresAsync(db, "Plain", where);
            Dictionary<string, double> byValue = await ScoresAsync(db, "Values", where),
                byEntry = await ScoresAsync(db, "Entries", where);
            Assert.Equal(plain.Keys.Order(), byValue.Keys.Order());
            Assert.All(byEntry, e => Assert.Equal(byValue[e.Key] * factors[e.Key].Rank, e.Value, 3));
            if (!where.Contains("Name", StringComparison.Ordinal))
                Assert.All(byValue, e => Assert.Equal(plain[e.Key] * factors[e.Key].Weight, e.Value, 3));
            await BestAreThoseOfAllAsync(db, "Values", where, byValue);
            await BestAreThoseOfAllAsync(db, "Entries", where, byEntry);
        }

        Dictionary<string, double> title = await ScoresAsync(db, "Plain", "search(Title, 'w1')"),
            threefold = await ScoresAsync(db, "Values", "search(Title, 'w1')");
        Assert.All(threefold, e => Assert.Equal(title[e.Key] * 3, e.Value, 3));

        // Without a word that was searched the entries' own weights decide.
        var ranked = await ScoresAsync(db, "Entries", "true");
        Assert.All(ranked, e => Assert.Equal(factors[e.Key].Rank, e.Value));
        Assert.Equal(ranked.Values.OrderDescending(), ranked.Values);
        // Deleted entries with the greatest factors stay in the posting lists for a while.
        for (var i = 0; i < 20; i++)
        {
            var id = factors.MaxBy(f => f.Value.Weight * f.Value.Rank).Key;
            factors.Remove(id);
            await db.DeleteAsync(id);
        }

        foreach (var where in conditions)
        {
            await BestAreThoseOfAllAsync(db, "Values", where, await ScoresAsync(db, "Values", where));
            await BestAreThoseOfAllAsync(db, "Entries", where, await ScoresAsync(db, "Entries", where));
        }

        var explained = await db.QueryAsync(
            new QueryRequest("from index 'Entries' where search(Note, 'w1') include explanations() limit 1")
            {
                Wait = Wait,
            }
        );
        Assert.Contains(
            "boost of the entry",
            explained.Explanations.Values.Single().ToString(),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_boost_that_is_no_number_fails_its_document_alone()
    {
        await using var db = IndexedDatabase.Open();
        await db.Indexes.PutAsync(Text("Values", "from o in docs.Orders select new { Note = o.Note.Boost(o.Weight) }"));
        await db.PutAsync("orders/1", "Orders", """{"Note":"a","Weight":-1}""");
        await db.PutAsync("orders/2", "Orders", """{"Note":"a","Weight":2}""");
        await db.SettleAsync("Values");
        Assert.Equal("orders/1", Assert.Single(db.Indexes.GetErrors("Values")).DocumentId);
        Assert.Equal(["orders/2"], (await ScoresAsync(db, "Values", "search(Note, 'a')")).Keys);
    }

    [Fact]
    public async Task Options_of_fields_do_what_they_say()
    {
        await using var db = IndexedDatabase.Open();
        var definition = new IndexDefinition
        {
            Name = "All",
            Maps =
            [
                "from o in docs.Orders select new { o.Plain, o.Exact, o.Words, o.Stem, o.Kept, o.Heavy, o.Number, o.Code, o.Hidden }",
            ],
            Fields = new Dictionary<string, IndexFieldDefinition>
            {
                ["Exact"] = new() { Indexing = TermForm.Exact },
                ["Words"] = new() { Indexing = TermForm.Search },
                ["Stem"] = new() { Analyzer = "english" },
                ["Kept"] = new() { Stored = true },
                ["Heavy"] = new() { Boost = 10, Analyzer = "standard" },
                ["Number"] = new() { Sort = OrderType.Long },
                ["Code"] = new() { Sort = OrderType.AlphaNumeric },
                ["Hidden"] = new() { Indexing = TermForm.No },
            },
        };
        await db.Indexes.PutAsync(definition);
        await db.PutAsync(
            "orders/1",
            "Orders",
            """{"Plain":"Ab C","Exact":"Ab C","Words":"red dogs","Stem":"red dogs","Kept":{"A":1},"Heavy":"dogs","Number":"10","Code":"a10","Hidden":1}"""
        );
        await db.PutAsync(
            "orders/2",
            "Orders",
            """{"Plain":"x","Exact":"X","Words":"heavy","Stem":"x","Kept":2,"Heavy":"x","Number":"9","Code":"a9"}"""
        );
        Assert.Equal("orders/1", await IdsAsync(db, "Plain = 'aB c'"));
        Assert.Equal("", await IdsAsync(db, "Exact = 'ab c'"));
        Assert.Equal("orders/1", await IdsAsync(db, "Exact = 'Ab C'"));
        Assert.Equal("", await IdsAsync(db, "search(Words, 'dog')"));
        Assert.Equal("orders/1", await IdsAsync(db, "search(Stem, 'dog')"));
        Assert.Equal("orders/1 orders/2", await IdsAsync(db, "search(Heavy, 'dogs') or search(Words, 'heavy')"));
        var heavy = await ScoresAsync(db, "All", "search(Heavy, 'dogs') or search(Words, 'heavy')");
        Assert.InRange(heavy["orders/1"] / heavy["orders/2"], 5, 20);
        Assert.Equal("orders/2 orders/1", await IdsAsync(db, "true order by Code"));
        Assert.Equal("orders/1 orders/2", await IdsAsync(db, "true order by Code as string"));
        Assert.Equal("orders/2 orders/1", await IdsAsync(db, "true order by Number as alphaNumeric"));
        var hidden = await Assert.ThrowsAsync<Pipeline.Database.Queries.Language.InvalidQueryException>(() =>
            IdsAsync(db, "Hidden = 1")
        );
        Assert.Contains("'Hidden'", hidden.Message, StringComparison.Ordinal);
        var kept = await db.QueryAsync(new QueryRequest("from index 'All' where Kept = 2 select Kept") { Wait = Wait });
        Assert.Equal("""{"Kept":2}""", kept.Items.Single().ToString());
        var refused = await Assert.ThrowsAsync<InvalidIndexException>(() =>
            db.Indexes.PutAsync(
                definition with
                {
                    Name = "B",
                    Fields = new Dictionary<string, IndexFieldDefinition> { ["X"] = new() { Boost = -1 } },
                }
            )
        );
        Assert.Contains("'X'", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_only_queries_use_is_changed_without_building_anew()
    {
        await using var db = IndexedDatabase.Open();
        var definition = Text("All", "from o in docs.Orders select new { o.Note, o.Code }");
        await db.Indexes.PutAsync(definition);
        await db.PutAsync("orders/1", "Orders", """{"Note":"dogs","Code":"a10"}""");
        await db.PutAsync("orders/2", "Orders", """{"Note":"x","Code":"a9"}""");
        await db.SettleAsync("All");
        const string query = "from index 'All' where search(Note, 'dogs') or Code = 'a9' order by Code";
        var before = await db.QueryAsync(new QueryRequest(query) { Wait = Wait });
        var plain = (await ScoresAsync(db, "All", "search(Note, 'dogs')"))["orders/1"];
        Assert.Equal(["orders/1", "orders/2"], before.Items.Select(i => i.Id!));

        await db.Indexes.PutAsync(
            Changed(
                new()
                {
                    Analyzer = "standard",
                    Boost = 4,
                    Suggestions = true,
                },
                new() { Sort = OrderType.AlphaNumeric }
            )
        );
        Assert.Null(db.Indexes.Get("All")!.ReplacementPosition);
        Assert.Equal(2, db.Indexes.GetBatches("All").Sum(b => b.Documents));
        var after = await db.QueryAsync(new QueryRequest(query) { Wait = Wait, IfNoneMatch = before.ETag });
        Assert.Equal(["orders/2", "orders/1"], after.Items.Select(i => i.Id!));
        Assert.Equal(plain * 4, (await ScoresAsync(db, "All", "search(Note, 'dogs')"))["orders/1"], 4);

        // A change to the source of entries still rebuilds, and so does a boost if options for all fields applied
        // before.
        Assert.NotEqual(definition.Hash, Changed(new() { Analyzer = "english" }, new()).Hash);
        Assert.NotEqual(definition.Hash, Changed(new() { Analyzer = "standard" }, new() { Stored = true }).Hash);
        var all = new Dictionary<string, IndexFieldDefinition>
        {
            [IndexFieldDefinition.AllFields] = new() { Analyzer = "english" },
        };
        Assert.NotEqual(
            (definition with { Fields = all }).Hash,
            (
                definition with
                {
                    Fields = new Dictionary<string, IndexFieldDefinition>(all) { ["Note"] = new() { Boost = 2 } },
                }
            ).Hash
        );

        IndexDefinition Changed(IndexFieldDefinition note, IndexFieldDefinition code) =>
            definition with
            {
                Fields = new Dictionary<string, IndexFieldDefinition>(definition.Fields)
                {
                    ["Note"] = note,
                    ["Code"] = code,
                },
            };
    }

    private static IndexDefinition Text(string name, string map) =>
        new()
        {
            Name = name,
            Maps = [map],
            Fields = new Dictionary<string, IndexFieldDefinition>
            {
                ["Note"] = new() { Analyzer = "standard" },
                ["Title"] = new() { Analyzer = "standard" },
            },
        };

    private static async Task<Dictionary<string, double>> ScoresAsync(DocumentDatabase db, string index, string where)
    {
        var result = await db.QueryAsync(
            new QueryRequest($"from index '{index}' where {where}{(where == "true" ? "" : " order by score()")}")
            {
                Wait = Wait,
            }
        );
        return result.Items.ToDictionary(i => i.Id!, i => i.Score!.Value);
    }

    /// <summary>
    /// A search for the best few skips entries that cannot be among them; its results are still the best of all.
    /// </summary>
    private static async Task BestAreThoseOfAllAsync(
        DocumentDatabase db,
        string index,
        string where,
        Dictionary<string, double> all
    )
    {
        var best = await db.QueryAsync(
            new QueryRequest($"from index '{index}' where {where} order by score() limit 5")
            {
                Wait = Wait,
                Search = SearchOptions.Default with { CountUpTo = 3 },
            }
        );
        Assert.Equal(all.Values.OrderDescending().Take(5), best.Items.Select(i => i.Score!.Value));
    }

    private static async Task<string> IdsAsync(DocumentDatabase db, string where) =>
        string.Join(
            ' ',
            (await db.QueryAsync(new QueryRequest($"from index 'All' where {where}") { Wait = Wait })).Items.Select(i =>
                i.Id
            )
        );
}
