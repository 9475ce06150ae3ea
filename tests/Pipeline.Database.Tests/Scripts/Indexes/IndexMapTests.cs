using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;
using Xunit;

namespace Pipeline.Database.Tests.Scripts.Indexes;

/// <summary>The output of maps, for each form in which users write them.</summary>
public sealed class IndexMapTests
{
    private const string Order = """
        {"Company":"companies/1","Freight":12.5,"Paid":true,"OrderedAt":"1996-07-04T00:00:00.0000000","Note":null,"ShipTo":{"City":"Reims","Country":"France"},
         "Tags":["a","B",3],"Lines":[{"Product":"p/1","Quantity":12,"PricePerUnit":14.0,"Discount":0.0},{"Product":"p/2","Quantity":10,"PricePerUnit":9.8,"Discount":0.05}],
         "Attributes":{"Color":"red","Size":42},"Lat":49.25,"Lng":4.03,"Name":"Ünïcode ☃"}
        """;

    [Theory]
    [InlineData(
        "from o in docs.Docs select new { o.Company, Total = o.Lines.Sum(l => l.Quantity * l.PricePerUnit) }",
        "Company='companies/1' Total=266"
    )]
    [InlineData("from doc in docs select new { doc.Company }", "Company='companies/1'")]
    [InlineData("docs.Docs.Select(o => new { o.ShipTo.City, o.ShipTo.Nowhere.City2 })", "City='Reims' City2=null")]
    [InlineData("docs.Select(o => new { C = o.Company })", "C='companies/1'")]
    [InlineData("docs[\"Docs\"].Select(o => new { o.Name })", "Name='Ünïcode ☃'")]
    [InlineData(
        "from o in docs[\"Docs\"] select new { o.Paid, o.Note, o.Missing }",
        "Paid=true Note=null Missing=null"
    )]
    [InlineData("from o in docs.Docs select new { o.Company };", "Company='companies/1'")]
    [InlineData(
        "from o in docs.Docs from l in o.Lines select new { o.Company, l.Product, Sum = l.Quantity * l.PricePerUnit * (1 - l.Discount) }",
        "Company='companies/1' Product='p/1' Sum=168\nCompany='companies/1' Product='p/2' Sum=93.1d"
    )]
    [InlineData(
        "docs.Docs.SelectMany(o => o.Lines, (o, l) => new { o.Company, l.Product })",
        "Company='companies/1' Product='p/1'\nCompany='companies/1' Product='p/2'"
    )]
    [InlineData("docs.Docs.SelectMany(o => o.Lines.Select(l => new { l.Product }))", "Product='p/1'\nProduct='p/2'")]
    [InlineData(
        "from o in docs.Docs from l in o.Lines where l.Quantity > 10 select new { l.Product }",
        "Product='p/1'"
    )]
    [InlineData("from o in docs.Docs where o.Freight > 20 select new { o.Company }", "")]
    [InlineData("docs.Docs.Where(o => o.Paid).Select(o => new { o.Company })", "Company='companies/1'")]
    [InlineData("docs.Docs.Where(o => o.Missing).Select(o => new { o.Company })", "")]
    [InlineData(
        "from o in docs.Docs where o.Missing > 3 || o.Missing < 3 || o.Missing == 3 select new { o.Company }",
        ""
    )]
    [InlineData(
        "from o in docs.Docs let t = o.Lines.Sum(l => l.Quantity) where t > 5 let u = t * 2 select new { t, u }",
        "t=22 u=44"
    )]
    [InlineData("from o in docs.Docs select new { o.Tags }", "Tags='a' Tags='B' Tags=3")]
    [InlineData(
        "from o in docs.Docs select new { P = o.Lines.Select(x => x.Product), Q = o.Lines.Select(x => x.Quantity).ToArray() }",
        "P='p/1' P='p/2' Q=12 Q=10"
    )]
    [InlineData(
        "from o in docs.Docs select new { Query = new object[] { o.Company, o.ShipTo.City, 5 } }",
        "Query='companies/1' Query='Reims' Query=5"
    )]
    [InlineData(
        "from o in docs.Docs select new { Query = new[] { o.Company, o.ShipTo.City } }",
        "Query='companies/1' Query='Reims'"
    )]
    [InlineData("from o in docs.Docs select new { o.ShipTo }", "ShipTo={\"City\":\"Reims\",\"Country\":\"France\"}")]
    [InlineData(
        "from o in docs.Docs select new { Year = o.OrderedAt.Year, D = o.OrderedAt.AddDays(1), M = ((DateTime)o.OrderedAt).Month }",
        "Year=1996 D='1996-07-05T00:00:00.0000000' M=7"
    )]
    [InlineData(
        "from o in docs.Docs select new { T = (decimal)o.Freight / 2, I = (int)o.Freight, D = (double)o.Missing, N = (int)o.Missing + 1, X = (DateTime)o.Missing }",
        "T=6.25d I=12 D=null N=null X=null"
    )]
    [InlineData(
        "from o in docs.Docs select new { A = o.Company.ToUpper(), B = o.Company.Substring(0, 4), C = o.Missing.ToUpper(), L = o.Company.Length, S = o.Company.Split('/') }",
        "A='COMPANIES/1' B='comp' C=null L=11 S='companies' S='1'"
    )]
    [InlineData(
        "from o in docs.Docs select new { A = Math.Round(o.Freight), B = Math.Max(o.Freight, 3), C = string.Join(\"-\", o.Tags), D = string.IsNullOrEmpty(o.Note) }",
        "A=12 B=12.5d C='a-B-3' D=true"
    )]
    [InlineData(
        "from o in docs.Docs select new { A = o.Note ?? \"none\", B = o.Missing == null ? 1 : 2, C = o.Company + \"!\" }",
        "A='none' B=1 C='companies/1!'"
    )]
    [InlineData(
        "from o in docs.Docs select new { F = o.Lines.FirstOrDefault().Product, E = o.Missing.FirstOrDefault().Product, C = o.Lines.Count(), M = o.Missing.Count(), A = o.Lines.Any(l => l.Quantity > 11), Max = o.Lines.Max(l => l.Quantity) }",
        "F='p/1' E=null C=2 M=0 A=true Max=12"
    )]
    [InlineData("from o in docs.Docs select new { C = o.Lines.Length, D = o.Lines.Count }", "C=2 D=2")]
    [InlineData(
        "from o in docs.Docs select new { Id = Id(o), A = o.Id, B = o.__document_id, C = o[\"@metadata\"][\"@collection\"], M = MetadataFor(o)[\"@id\"], V = MetadataFor(o).Value<string>(\"@collection\"), L = MetadataFor(o).Value<DateTime>(\"@last-modified\") }",
        "Id='docs/1' A='docs/1' B='docs/1' C='Docs' M='docs/1' V='Docs' L='2026-01-02T03:04:05.0000000Z'"
    )]
    [InlineData(
        "from o in docs.Docs select new { Loc = CreateSpatialField(o.Lat, o.Lng), W = CreateSpatialField(\"POINT (1 2)\"), N = CreateSpatialField(o.Missing, o.Lng), D = CreateSpatialField(1.5, 2) }",
        "Loc=@49.25,4.03 W=shape POINT (1 2) N=null D=@1.5,2"
    )]
    [InlineData("from o in docs.Docs select new { _ = CreateField(\"X\", o.Company) }", "*X='companies/1'")]
    [InlineData(
        "from o in docs.Docs select new { o.Paid, _ = o.Attributes.Select(a => CreateField(a.Key, a.Value)) }",
        "Paid=true *Color='red' *Size=42"
    )]
    [InlineData(
        "from o in docs.Docs select new { _ = AsJson(o.Attributes).Select(x => CreateField(x.Key, x.Value, true)) }",
        "*Color[Yes,]='red' *Size[Yes,]=42"
    )]
    [InlineData(
        "from o in docs.Docs select new { _ = this.CreateField(\"X\", o.Tags, true, true), N = CreateField(o.Missing, 1) }",
        "*X[Yes,Search]='a' *X[Yes,Search]='B' *X[Yes,Search]=3"
    )]
    [InlineData(
        "from o in docs.Docs select new { _ = CreateField(\"X\", o.Paid, new CreateFieldOptions { Storage = FieldStorage.Yes, Indexing = FieldIndexing.Exact }) }",
        "*X[Yes,Exact]=true"
    )]
    [InlineData(
        "docs.Docs.Select(o => new Dictionary<string, object> { [\"A\"] = o.Company, [\"B\"] = 5 })",
        "*A='companies/1' *B=5"
    )]
    [InlineData(
        "from o in docs.Docs from a in o.Attributes select new { a.Key, a.Value }",
        "Key='Color' Value='red'\nKey='Size' Value=42"
    )]
    [InlineData(
        "docs.Docs.Select(o => new { o = o, n = o.Lines.Count() }).Where(this0 => this0.n > 1).Select(this0 => new { Company = this0.o.Company, N = this0.n })",
        "Company='companies/1' N=2"
    )]
    [InlineData(
        "docs.Docs.Select(o => new { T = Enumerable.Sum(o.Lines, l => l.Quantity), D = Enumerable.ToArray(Enumerable.Select(o.Lines, (Func<dynamic, dynamic>)(l => l.Product))) })",
        "T=22 D='p/1' D='p/2'"
    )]
    [InlineData("from o in docs.WhereEntityIs(\"Docs\", \"Other\") select new { o.Company }", "Company='companies/1'")]
    [InlineData(
        "from o in docs.Docs select new { G = o.Lines.GroupBy(l => l.Product).Select(g => g.Key), S = o.Lines.OrderByDescending(l => l.PricePerUnit).Select(l => l.PricePerUnit) }",
        "G='p/1' G='p/2' S=14 S=9.8d"
    )]
    [InlineData(
        "from o in docs.Docs select new { R = Recurse(o, x => x.Child).Count(), S = Regex.IsMatch(o.Company, \"^comp\"), P = int.Parse(\"5\"), K = o.Paid ? \"y\" : \"n\" }",
        "R=1 S=true P=5 K='y'"
    )]
    [InlineData("// a comment\nfrom o in docs.Docs // another\nselect new { o.Paid } // the last", "Paid=true")]
    [InlineData(
        "from o in docs.Docs select new { Freight = (string)o.Freight, I = o.Company.IndexOf(\"/\"), C = o.Tags.Contains(\"a\"), U = o.Tags.Contains(\"zz\") }",
        "Freight='12.5' I=9 C=true U=false"
    )]
    public void A_map_gives(string map, string expected) => Assert.Equal(expected, IndexHost.Map(map, Order));

    [Theory]
    [InlineData("from o in docs.Docs select new { A = o.Company * 2 }", "is not defined", 1)]
    [InlineData("from o in docs.Docs\nselect new { A = o.ShipTo - 2 }", "is not defined", 2)]
    [InlineData("from o in docs.Docs\nlet n = 0\nlet x = 1 / n\nselect new { x }", "divide by zero", 3)]
    [InlineData("from o in docs.Docs select new { A = o.Company.Substring(50) }", "", 1)]
    [InlineData("from o in docs.Docs\nlet d = DateTime.Parse(o.Missing)\nselect new { d }", "null", 2)]
    [InlineData("docs.Docs\n  .Where(o => o.Company)\n  .Select(o => new { o.Paid })", "is not true or false", 2)]
    public void What_throws_tells_its_line(string map, string message, int line)
    {
        var error = Assert.Throws<ScriptRuntimeException>(() => IndexHost.Map(map, Order));
        Assert.Contains(message, error.Message, StringComparison.OrdinalIgnoreCase);
        Assert.Equal((line, "map"), (error.Line, error.ScriptSource));
    }

    [Fact]
    public void Loaded_documents_are_found_and_told()
    {
        var host = new IndexHost
        {
            Documents =
            {
                ["companies/1"] = IndexHost.Document(
                    """{"Name":"Vinet","Parent":"companies/2"}""",
                    "companies/1",
                    "Companies"
                ),
                ["companies/2"] = IndexHost.Document("""{"Name":"Holding"}""", "companies/2", "Companies"),
            },
        };
        var script = IndexHost.Compile(
            """
            from o in docs.Docs
            let c = LoadDocument(o.Company, "Companies")
            let all = LoadDocument(o.Lines.Select(l => l.Product), "Products")
            select new { c.Name, Parent = LoadDocument(c.Parent, "Companies").Name, Key = c.Id, None = all.Where(a => a != null).Select(a => a.Name), Ids = LoadDocument(new[] { "companies/1" }, "Companies").Select(x => x.Name) }
            """
        );
        var run = host.Run(script, IndexHost.Document(Order));
        Assert.Equal(["Name='Vinet' Parent='Holding' Key='companies/1' Ids='Vinet'"], host.Entries);
        Assert.Equal(["companies/1", "p/1", "p/2", "companies/2"], run.LoadedIds);
        Assert.Equal(["Companies", "Products"], script.LoadedCollections);
        run.Map(IndexHost.Document("{}"), (IIndexOutput)host);
        Assert.Equal(["companies/1"], run.LoadedIds);
    }

    [Fact]
    public void What_is_known_before_it_runs()
    {
        var script = IndexHost.Compile(
            new IndexSource([
                "from c in docs.Companies select new { c.Name, At = CreateSpatialField(c.Lat, c.Lng), _ = c.A.Select(a => CreateField(a.N, a.V)) }",
                "docs[\"a b\"].Select(p => new { p.Name, p.Price })",
            ])
        );
        Assert.Equal(["Name", "At", "Price"], script.Fields);
        Assert.Equal(["At"], script.SpatialFields);
        Assert.Equal(["Companies", "a b"], script.Collections);
        Assert.True(script.HasDynamicFields);
        Assert.False(script.IsMapReduce);
        Assert.True(script.MayRepeat);
        Assert.True(IndexHost.Compile("from d in docs from l in d.Lines select new { l.X }").MayRepeat);
        Assert.False(
            IndexHost.Compile("from d in docs let n = d.Lines.Count() where n > 1 select new { n }").MayRepeat
        );
        var host = new IndexHost();
        host.Run(script, IndexHost.Document("""{"Name":"n","Price":2}""", "x/1", "A B"));
        host.Run(script, IndexHost.Document("""{"Name":"m"}""", "x/1", "companies"));
        host.Run(script, IndexHost.Document("""{"Name":"m"}""", "x/1", "Others"));
        Assert.Equal(["Name='n' Price=2", "Name='m' At=null"], host.Entries);
        Assert.Null(IndexHost.Compile("from d in docs select new { d.X }").Collections);
    }

    [Fact]
    public void Equal_definitions_are_compiled_once()
    {
        var compiler = new IndexCompiler();
        var source = new IndexSource(["from d in docs select new { d.X }"]);
        var first = compiler.Compile(source).Script;
        Assert.Same(first, compiler.Compile(source with { Reduce = " " }).Script);
        Assert.NotSame(first, compiler.Compile(new IndexSource(["from d in docs select new { d.Y }"])).Script);
    }

    [Theory]
    [InlineData(
        "from d in docs from i in Enumerable.Range(0, 1000000000) where i < 0 select new { i }",
        nameof(ScriptLimits.MaxSteps)
    )]
    [InlineData(
        "from d in docs from i in Enumerable.Range(0, 1000000) select new { i }",
        nameof(ScriptLimits.MaxMessages)
    )]
    [InlineData(
        "from d in docs select new { X = new string('x', 30000000) + Enumerable.Range(0, 90).Count() }",
        nameof(ScriptLimits.MaxAllocatedBytes)
    )]
    public void A_run_is_bounded(string map, string limit)
    {
        var limits = new ScriptLimits
        {
            MaxSteps = 100_000,
            MaxMessages = 1000,
            MaxAllocatedBytes = 16 << 20,
            MaxTime = TimeSpan.FromMinutes(1),
        };
        var error = Assert.Throws<ScriptLimitException>(() =>
            new IndexHost().Run(IndexHost.Compile(map), IndexHost.Document("{}"), limits)
        );
        Assert.Equal(limit, error.Limit);
    }
}
