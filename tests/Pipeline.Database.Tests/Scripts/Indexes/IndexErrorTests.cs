using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;
using Xunit;

namespace Pipeline.Database.Tests.Scripts.Indexes;

/// <summary>Wrong definitions: every error states its place in the user's text, the problem and the fix.</summary>
public sealed class IndexErrorTests
{
    private const string Good = "from d in docs.Docs select new { d.Country, d.Count }";

    [Theory]
    [InlineData("", "map:1:1 SCRIPT010 the map is empty, write from o in docs.Orders select new { o.Company }")]
    [InlineData(
        "from o in docs.Orders",
        "map:1:22 CS0742 A query body must end with a select clause or a group clause, end the query with select new { … }"
    )]
    [InlineData("from o in docs.Orders select new { o.Company", "map:1:45 CS1513")]
    [InlineData(
        "from o in docs.Orders select new { o.Company } }",
        "map:1:48 CS1073 the query ends before '}', remove what follows, or join it to the query"
    )]
    [InlineData("from o in docs.Orders select new { o.Company }); System.IO.File.Delete(\"x\"", "map:1:47 CS1073")]
    [InlineData(
        "from o in Orders select new { o.Company }",
        "map:1:1 SCRIPT011 a map reads documents, and this one does not name docs, write from o in docs.Orders select new { o.Company }"
    )]
    [InlineData(
        "from r in results select new { r.A }",
        "map:1:11 SCRIPT011 a map reads docs; results are what a reduce reads"
    )]
    [InlineData(
        "from o in docs.Orders\nfrom c in docs.Companies\nwhere c.Id == o.Company select new { c.Name }",
        "map:2:11 SCRIPT011 a map reads one source of documents, load the others: LoadDocument(id, \"Collection\"), or write a second map"
    )]
    [InlineData(
        "from o in docs.Orders select o",
        "map:1:30 SCRIPT010 a map gives objects with fields, select new { … }"
    )]
    [InlineData(
        "docs.Orders.Select(o => o.Company)",
        "map:1:25 SCRIPT010 a map gives objects with fields, select new { … }"
    )]
    [InlineData("docs.Orders", "map:1:1 SCRIPT010 a map gives objects with fields, select new { … }")]
    [InlineData(
        "from o in docs.Orders select new { Company = o.Company.ToUper() }",
        "map:1:56 CS1061 a document's value has no method 'ToUper', did you mean 'ToUpper'?"
    )]
    [InlineData(
        "from o in docs.Orders\n  select new { o.A,\n    B = oo.B }",
        "map:3:9 CS0103 The name 'oo' does not exist in the current context, did you mean 'o'?"
    )]
    [InlineData(
        "from o in docs.Orders select new { A = LoadDocumnt(o.Company, \"Companies\").Name }",
        "map:1:40 CS0103 The name 'LoadDocumnt' does not exist in the current context, did you mean 'LoadDocument'?"
    )]
    [InlineData(
        "from o in docs.Orders select new { A = LoadDocument(o.Company).Name }",
        "map:1:40 CS1501 No overload for method 'LoadDocument' takes 1 arguments, name the collection too: LoadDocument(id, \"Companies\")"
    )]
    [InlineData(
        "from o in docs.Orders select new { A = LoadDocument(o.Company, o.Collection).Name }",
        "map:1:64 SCRIPT011 the collection to load from is a text that is known before the map runs, LoadDocument(id, \"Companies\")"
    )]
    [InlineData(
        "from o in docs[o.X] select new { o.A }",
        "map:1:15 SCRIPT011 the collection is a text that is known before the map runs, docs[\"My Orders\"]"
    )]
    [InlineData(
        "from o in docs.Orders orderby o.A select new { o.A }",
        "map:1:23 SCRIPT012 'orderby' has no meaning in a map, which sees one document at a time, order in the query"
    )]
    [InlineData(
        "docs.Orders.OrderBy(o => o.A).Select(o => new { o.A })",
        "map:1:13 SCRIPT012 'OrderBy' has no meaning in a map, which sees one document at a time, order and page in the query, group in the reduce"
    )]
    [InlineData(
        "from o in docs.Orders group o by o.Company into g select new { g.Key }",
        "map:1:23 SCRIPT012 a map does not group: it sees one document at a time, group in the reduce"
    )]
    [InlineData(
        "from o in docs.Orders where o.At > DateTime.Now select new { o.A }",
        "map:1:45 SCRIPT015 'DateTime.Now' gives something else at each run, and an entry stays until its document changes, index the date, and compare it with now in the query"
    )]
    [InlineData(
        "from o in docs.Orders select new { A = Guid.NewGuid() }",
        "map:1:45 SCRIPT015 'Guid.NewGuid' gives something else at each run, an entry must follow from its document alone"
    )]
    [InlineData(
        "from o in docs.Orders select new { A = System.IO.File.ReadAllText(o.Path) }",
        "map:1:50 SCRIPT002 'System.IO.File' may not be used in a script"
    )]
    [InlineData(
        "from o in docs.Orders select new { A = o.GetType().Name }",
        "map:1:42 SCRIPT002 'System.Object.GetType' may not be used in a script"
    )]
    [InlineData(
        "from o in docs.Orders select new { A = typeof(string).Name }",
        "map:1:40 SCRIPT002 'typeof' may not be used in a script"
    )]
    [InlineData("from o in docs.Orders select new { o.Company, o.Address.Company }", "map:1:47 CS0833")]
    [InlineData("from o in docs.Orders select new { 5 }", "map:1:36 CS0746")]
    [InlineData("from o in docs.Orders let x = select new { x }", "map:1:31 CS1525")]
    [InlineData("from o in docs.Orders select new { A = \"x }", "map:1:40 CS1010")]
    [InlineData("#if X\nfrom o in docs.Orders select new { o.A }\n#endif", "map:1:1")]
    [InlineData("docs.Orders.Slect(o => new { o.A })", "map:1:13 CS1061")]
    public void A_wrong_map(string map, string expected) => Check(new IndexSource([map]), expected);

    [Theory]
    [InlineData(
        "from r in results select new { r.Country, r.Count }",
        "reduce:1:19 SCRIPT013 a reduce groups results, write from r in results group r by r.Company into g select new { Company = g.Key, Count = g.Sum(x => x.Count) }"
    )]
    [InlineData(
        "results.Select(r => new { r.Country, r.Count })",
        "reduce:1:1 SCRIPT013 a reduce groups results before anything else"
    )]
    [InlineData(
        "from r in results where r.Count > 1 group r by r.Country into g select new { Country = g.Key, Count = g.Sum(x => x.Count) }",
        "reduce:1:19 SCRIPT013 a reduce groups results before anything else, do this in the map, or after 'into g'"
    )]
    [InlineData(
        "from r in results group r by r.Country",
        "reduce:1:19 SCRIPT013 a reduce gives an object for each group, continue with 'into g select new { … }'"
    )]
    [InlineData(
        "from r in docs.X group r by r.Country into g select new { Country = g.Key }",
        "reduce:1:11 SCRIPT011 a reduce reads results; docs are what a map reads"
    )]
    [InlineData(
        "from r in results group r by r.Country into g select new { Country = g.Key, Count = g.Count() }",
        "reduce:1:87 SCRIPT013 'Count' over a group is wrong where parts of it have been reduced already, put Count = 1 in the map and write g.Sum(x => x.Count)"
    )]
    [InlineData(
        "from r in results group r by r.Country into g select new { Country = g.Key, Count = g.Average(x => x.Count) }",
        "reduce:1:87 SCRIPT013 'Average' over a group is wrong where parts of it have been reduced already, sum the values and their number, and divide the sums"
    )]
    [InlineData(
        "from r in results group r by r.Country into g select new { Country = g.Key, Total = g.Sum(x => x.Count) }",
        "map:1:28 SCRIPT014 maps and reduce must give the same fields: the reduce gives Total in addition and the reduce lacks Count, a reduce is run on its own results too; name each field in both"
    )]
    [InlineData(
        "from r in results group r by r.Contry into g select new { Country = g.Key, Count = g.Sum(x => x.Count) }",
        "reduce:1:30 SCRIPT014 the maps give no 'Contry' to group by, did you mean 'Country'?"
    )]
    [InlineData(
        "from r in results group r by new { r.Country, r.Zone } into g select new { g.Key.Country, Count = g.Sum(x => x.Count) }",
        "reduce:1:47 SCRIPT014 the maps give no 'Zone' to group by, they give Country, Count"
    )]
    [InlineData(
        "from r in results group r by new { r.Country } into g select new { g.Key.Contry, Count = g.Sum(x => x.Count) }",
        "reduce:1:74 CS1061"
    )]
    [InlineData(
        "from r in results group r by r.Country into g select g.Key",
        "reduce:1:54 SCRIPT010 a reduce gives objects with fields, select new { … }"
    )]
    [InlineData(
        "from r in results group r by r.Country into g\nselect new { Country = LoadDocument(g.Key, \"X\").Name, Count = 1 }",
        "reduce:2:24 SCRIPT012 LoadDocument has no place in a reduce, load in the map, where the loaded document's changes are followed"
    )]
    [InlineData(
        "from r in results group r by r.Country into g select new { Country = g.Key, Count = g.Sum(x => y.Count) }",
        "reduce:1:96 CS0103"
    )]
    public void A_wrong_reduce(string reduce, string expected) => Check(new IndexSource([Good], reduce), expected);

    [Fact]
    public void Each_of_several_maps_has_its_name()
    {
        Check(new IndexSource([Good, "from d in docs.Docs select new { x }"]), "map 2:1:34 CS0103");
        var none = Assert.Single(new IndexCompiler().Compile(new IndexSource([])).Errors);
        Assert.Equal("map:1:1: SCRIPT010: an index has 1 to 256 maps, this one has 0", none.ToString());
    }

    private static void Check(IndexSource source, string expected)
    {
        var result = new IndexCompiler().Compile(source);
        Assert.False(result.Succeeded, "compiled");
        var error = result.Errors[0];
        var first =
            $"{error.Source}:{error.Line}:{error.Column} {error.Code} {error.Message}{(error.Suggestion is null ? "" : ", " + error.Suggestion)}";
        Assert.True(
            first.StartsWith(expected, StringComparison.Ordinal),
            $"expected {expected}\nin\n{string.Join("\n", result.Errors)}"
        );
    }
}
