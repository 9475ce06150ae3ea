using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;
using Xunit;

namespace Pipeline.Database.Tests.Scripts.Indexes;

/// <summary>
/// Reduces: their group keys, their output, and that reducing already reduced parts equals reducing the whole.
/// </summary>
public sealed class IndexReduceTests
{
    private const string Map =
        "from c in docs.Companies select new { c.Country, c.City, Count = 1, Sum = c.N, Last = c.D }";

    private static readonly string[] Documents =
    [
        """{"Country":"FR","City":"Reims","N":1.5,"D":"2026-01-01"}""",
        """{"Country":"FR","City":"Paris","N":2,"D":"2026-03-01"}""",
        """{"Country":"DE","City":"Berlin","N":7,"D":"2026-02-01"}""",
        """{"City":"Nowhere","N":9}""",
        """{"Country":"FR","City":"Reims","N":3,"D":"2025-01-01"}""",
        """{"Country":null,"N":1}""",
    ];

    [Theory]
    [InlineData(
        "from r in results group r by new { r.Country } into g select new { g.Key.Country, City = (string)null, Count = g.Sum(x => x.Count), Sum = g.Sum(x => x.Sum), Last = g.Max(x => x.Last) }",
        "Country='FR' City=null Count=3 Sum=6.5d Last='2026-03-01'|Country='DE' City=null Count=1 Sum=7 Last='2026-02-01'|Country=null City=null Count=2 Sum=10 Last=null",
        "Country"
    )]
    [InlineData(
        "results.GroupBy(r => r.Country).Select(g => new { Country = g.Key, City = g.Select(x => x.City).FirstOrDefault(), Count = g.Sum(x => (int)x.Count), Sum = g.Sum(x => (decimal)x.Sum), Last = g.Min(x => x.Last) })",
        "Country='FR' City='Reims' Count=3 Sum=6.5d Last='2025-01-01'|Country='DE' City='Berlin' Count=1 Sum=7 Last='2026-02-01'|Country=null City='Nowhere' Count=2 Sum=10 Last=null",
        "Country"
    )]
    [InlineData(
        "from r in results group r by new { r.Country, r.City } into g let sum = g.Sum(x => x.Sum) select new { g.Key.Country, g.Key.City, Count = g.Sum(x => x.Count), Sum = sum, Last = \"\" }",
        "Country='FR' City='Reims' Count=2 Sum=4.5d Last=''|Country='FR' City='Paris' Count=1 Sum=2 Last=''|Country='DE' City='Berlin' Count=1 Sum=7 Last=''|Country=null City='Nowhere' Count=1 Sum=9 Last=''|Country=null City=null Count=1 Sum=1 Last=''",
        "Country,City"
    )]
    [InlineData(
        "from r in results group r by 1 into g select new { Country = 0, City = 0, Count = g.Sum(x => x.Count), Sum = g.Sum(x => x.Sum), Last = g.Max(x => x.Last) }",
        "Country=0 City=0 Count=6 Sum=23.5d Last='2026-03-01'",
        ""
    )]
    public void A_reduce_gives(string reduce, string expected, string groupBy)
    {
        var script = IndexHost.Compile(Map, reduce);
        Assert.Equal(groupBy, string.Join(",", script.GroupByFields));
        var (groups, order, run) = Mapped(script, Documents);
        var host = new IndexHost();
        foreach (var key in order)
            run.Reduce([.. groups[key].Select(IndexHost.Parse)], host);
        Assert.Equal(expected, string.Join("|", host.Entries));
        Assert.Equal(["Country", "City", "Count", "Sum", "Last"], script.Fields);

        // Reduce a part first, then its results together with the other mapped entries.
        var parts = new IndexHost();
        foreach (var key in order)
        {
            var inputs = groups[key].Select(IndexHost.Parse).ToList();
            var part = new IndexHost();
            run.Reduce(inputs.Take(inputs.Count / 2).ToList(), part);
            run.Reduce([.. part.Objects.Select(IndexHost.Parse), .. inputs.Skip(inputs.Count / 2)], parts);
        }

        Assert.Equal(host.Entries, parts.Entries);
        Assert.Equal(host.Objects, parts.Objects);
    }

    [Fact]
    public void Keys_that_are_equal_have_equal_bytes()
    {
        var script = IndexHost.Compile(
            "from d in docs select new { d.A, N = 1 }",
            "from r in results group r by r.A into g select new { A = g.Key, N = g.Sum(x => x.N) }"
        );
        var (groups, _, _) = Mapped(
            script,
            [
                """{"A":2}""",
                """{"A":2.0}""",
                """{"A":"2"}""",
                """{"A":2.5}""",
                """{"A":2.50}""",
                """{"A":true}""",
                """{"A":null}""",
                "{}",
                """{"A":["x","y"]}""",
                """{"A":["x","y"]}""",
                """{"A":["x"]}""",
            ]
        );
        Assert.Equal([1, 1, 1, 2, 2, 2, 2], groups.Values.Select(g => g.Count).Order());
    }

    [Fact]
    public void Several_maps_go_into_one_reduce()
    {
        var script = IndexHost.Compile(
            new IndexSource(
                [
                    "from c in docs.Companies select new { c.Name, Companies = 1, Orders = 0 }",
                    "from o in docs.Orders select new { Name = o.Company, Companies = 0, Orders = 1 }",
                ],
                "from r in results group r by r.Name into g select new { Name = g.Key, Companies = g.Sum(x => x.Companies), Orders = g.Sum(x => x.Orders) }"
            )
        );
        var host = new IndexHost();
        var run = new IndexRun(script);
        run.Map(IndexHost.Document("""{"Name":"a"}""", "c/1", "Companies"), (IMapOutput)host);
        run.Map(IndexHost.Document("""{"Company":"a"}""", "o/1", "Orders"), (IMapOutput)host);
        run.Map(IndexHost.Document("""{"Company":"a"}""", "o/2", "Orders"), (IMapOutput)host);
        run.Reduce([.. Assert.Single(host.Groups).Value.Select(IndexHost.Parse)], host);
        Assert.Equal(["Name='a' Companies=1 Orders=2"], host.Entries);
        Assert.Equal(["""{"Name":"a","Companies":1,"Orders":2}"""], host.Objects);
    }

    [Fact]
    public void An_error_of_the_reduce_names_it()
    {
        var script = IndexHost.Compile(
            "from d in docs select new { d.A }",
            "from r in results\ngroup r by 1 into g\nselect new { A = g.First().A * 2 }"
        );
        var error = Assert.Throws<ScriptRuntimeException>(() =>
            new IndexRun(script).Reduce([IndexHost.Parse("""{"A":"x"}""")], new IndexHost())
        );
        Assert.Equal(("reduce", 3), (error.ScriptSource, error.Line));
    }

    private static (SortedDictionary<string, List<string>> Groups, List<string> Order, IndexRun Run) Mapped(
        IndexScript script,
        string[] documents
    )
    {
        var host = new IndexHost();
        var order = new List<string>();
        var run = new IndexRun(script);
        foreach (var json in documents)
        {
            run.Map(IndexHost.Document(json, "c/1", "Companies"), (IMapOutput)host);
            order.AddRange(host.Groups.Keys.Except(order).ToList());
        }

        return (host.Groups, order, run);
    }
}
