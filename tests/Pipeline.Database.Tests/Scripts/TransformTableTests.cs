using Xunit;

namespace Pipeline.Database.Tests.Scripts;

/// <summary>
/// Typical user scripts over one order: each row is an expression, or statements, and the JSON that it must give.
/// </summary>
public sealed class TransformTableTests
{
    private const string Order = """
        {"Company":"companies/1","Name":"Ada Lovelace","Email":" Ada@Example.COM ","Qty":3,"Price":10.10,"Big":9007199254740993,"Tenth":0.1,
        "Fifth":0.2,"Rate":1.5e-3,"Active":true,"Gone":null,"Status":"shipped","Code":"12","Empty":"","Emoji":"😀é\n\"","At":"1996-07-04T00:00:00.0000000",
        "Ship":"1996-07-16T12:30:00.0000000","Zoned":"2024-02-29T23:00:00+02:00","ShipTo":{"City":"Reims","Country":"FR","Region":null},
        "Tags":["b","a","c","a"],"Numbers":[3,1,2],"Nothing":[],
        "Lines":[{"Product":"p/1","PricePerUnit":14.0,"Quantity":12,"Discount":0.0},{"Product":"p/2","PricePerUnit":9.8,"Quantity":10,"Discount":0.05},
        {"Product":"p/1","PricePerUnit":34.8,"Quantity":5,"Discount":0.25}]}
        """;

    /// <summary>Expressions whose value is sent.</summary>
    [Theory]
    // Properties
    [InlineData("doc.Name", "\"Ada Lovelace\"")]
    [InlineData("doc.Missing", "null")]
    [InlineData("doc.Missing.Deeper.Still", "null")]
    [InlineData("doc.Gone", "null")]
    [InlineData("doc.ShipTo.City", "\"Reims\"")]
    [InlineData("doc?.ShipTo?.City", "\"Reims\"")]
    [InlineData("doc.ShipTo?.City.Length", "5")]
    [InlineData("doc[\"Name\"]", "\"Ada Lovelace\"")]
    [InlineData("doc[\"ShipTo\"][\"City\"]", "\"Reims\"")]
    [InlineData("doc.Lines[1].Product", "\"p/2\"")]
    [InlineData("doc.Lines[99].Product", "null")]
    [InlineData("doc.Lines[^1].Quantity", "5")]
    [InlineData("doc.Tags[1..3]", "[\"a\",\"c\"]")]
    [InlineData("doc?[\"Qty\"]", "3")]
    [InlineData("doc.Tags.Length", "4")]
    [InlineData("doc.Tags.Count", "4")]
    [InlineData("doc.ShipTo", "{\"City\":\"Reims\",\"Country\":\"FR\",\"Region\":null}")]
    [InlineData("doc.Missing ?? \"none\"", "\"none\"")]
    [InlineData("doc.Name ?? \"none\"", "\"Ada Lovelace\"")]
    [InlineData("doc.Gone == null", "true")]
    [InlineData("doc.Missing is null", "true")]
    [InlineData("doc.Name is not null", "true")]
    [InlineData("doc.Name != null && doc.Qty > 2", "true")]
    // Numbers
    [InlineData("doc.Tenth + doc.Fifth", "0.3")]
    [InlineData("doc.Tenth + 0.2", "0.3")]
    [InlineData("doc.Price * doc.Qty", "30.3")]
    [InlineData("doc.Price", "10.10")]
    [InlineData("doc.Big", "9007199254740993")]
    [InlineData("doc.Big + 1", "9007199254740994")]
    [InlineData("doc.Rate", "1.5e-3")]
    [InlineData("doc.Rate * 2", "0.003")]
    [InlineData("doc.Qty / 2", "1")]
    [InlineData("doc.Qty / 2.0", "1.5")]
    [InlineData("doc.Qty / 2m", "1.5")]
    [InlineData("(decimal)doc.Qty / 2", "1.5")]
    [InlineData("doc.Qty % 2", "1")]
    [InlineData("-doc.Qty", "-3")]
    [InlineData("9223372036854775807 + doc.Qty", "9223372036854775810")]
    [InlineData("(int)doc.Price", "10")]
    [InlineData("(int?)doc.Missing", "null")]
    [InlineData("doc.Missing + 1", "null")]
    [InlineData("doc.Missing > 1", "false")]
    [InlineData("doc.Missing < 1", "false")]
    [InlineData("doc.Qty == 3", "true")]
    [InlineData("doc.Qty == 3.0", "true")]
    [InlineData("doc.Qty != 3", "false")]
    [InlineData("doc.Qty >= 3 && doc.Qty <= 3", "true")]
    [InlineData("Math.Round(doc.Price * 1.234, 2)", "12.46")]
    [InlineData("Math.Round(2.5m)", "2")]
    [InlineData("Math.Max(doc.Qty, 10)", "10")]
    [InlineData("Math.Min(doc.Qty, doc.Price)", "3")]
    [InlineData("Math.Floor(doc.Price)", "10")]
    [InlineData("Math.Ceiling(doc.Price)", "11")]
    [InlineData("Math.Abs(-doc.Price)", "10.1")]
    [InlineData("Math.Sqrt(doc.Qty + 6)", "3")]
    [InlineData("Math.Round(doc.Missing, 2)", "null")]
    [InlineData("int.Parse(doc.Code) + 1", "13")]
    [InlineData("(int)doc.Code + 1", "13")]
    [InlineData("Convert.ToInt32(doc.Code)", "12")]
    [InlineData("Convert.ToDecimal(doc.Price)", "10.10")]
    [InlineData("decimal.Parse(doc.Code)", "12")]
    // Text
    [InlineData("doc.Name.ToUpper()", "\"ADA LOVELACE\"")]
    [InlineData("doc.Missing.ToUpper()", "null")]
    [InlineData("doc.Email.Trim().ToLower()", "\"ada@example.com\"")]
    [InlineData("doc.Name.Substring(0, 3)", "\"Ada\"")]
    [InlineData("doc.Name[..3]", "\"Ada\"")]
    [InlineData("doc.Name.Split(' ')", "[\"Ada\",\"Lovelace\"]")]
    [InlineData("doc.Name.Split(' ')[1]", "\"Lovelace\"")]
    [InlineData("doc.Name.Replace(\"Ada\", \"A.\")", "\"A. Lovelace\"")]
    [InlineData("doc.Name.StartsWith(\"Ada\")", "true")]
    [InlineData("doc.Name.Contains(\"Love\")", "true")]
    [InlineData("doc.Missing.Contains(\"Love\")", "false")]
    [InlineData("doc.Name.IndexOf(\"L\")", "4")]
    [InlineData("doc.Code.PadLeft(5, '0')", "\"00012\"")]
    [InlineData("doc.Name.Length", "12")]
    [InlineData("doc.Qty.ToString()", "\"3\"")]
    [InlineData("doc.Missing.ToString()", "\"\"")]
    [InlineData("doc.Price.ToString(\"F1\")", "\"10.1\"")]
    [InlineData("doc.Qty.ToString(\"D4\")", "\"0003\"")]
    [InlineData("$\"{doc.Name}: {doc.Price:F3} {doc.Missing}.\"", "\"Ada Lovelace: 10.100 .\"")]
    [InlineData("\"n=\" + doc.Qty", "\"n=3\"")]
    [InlineData("doc.Qty + \"x\"", "\"3x\"")]
    [InlineData("doc.Name + doc.Code", "\"Ada Lovelace12\"")]
    [InlineData("string.Join(\", \", doc.Tags)", "\"b, a, c, a\"")]
    [InlineData("string.Join(\"-\", doc.Name, doc.Qty)", "\"Ada Lovelace-3\"")]
    [InlineData("string.Join(\",\", doc.Tags.Select(t => t.ToUpper()))", "\"B,A,C,A\"")]
    [InlineData("string.IsNullOrEmpty(doc.Missing)", "true")]
    [InlineData("string.IsNullOrWhiteSpace(doc.Empty)", "true")]
    [InlineData("string.Format(\"{0}/{1}\", doc.Qty, doc.Code)", "\"3/12\"")]
    [InlineData("Regex.Replace(doc.Name, \"[aeiou]\", \"_\")", "\"Ad_ L_v_l_c_\"")]
    [InlineData("Regex.IsMatch(doc.Code, \"^[0-9]+$\")", "true")]
    [InlineData("doc.Emoji", "\"😀é\\n\\\"\"")]
    [InlineData("doc.Emoji + \"\\u0001\\\\\"", "\"😀é\\n\\\"\\u0001\\\\\"")]
    [InlineData("doc.Status == \"shipped\" ? \"S\" : doc.Status", "\"S\"")]
    [InlineData("doc.Active ? doc.Qty : 0", "3")]
    [InlineData("doc.Name.ToCharArray().Length", "12")]
    [InlineData("doc.Name.Equals(\"Ada Lovelace\")", "true")]
    [InlineData("doc.Status.Equals(\"SHIPPED\", StringComparison.OrdinalIgnoreCase)", "true")]
    // Dates
    [InlineData("doc.At.Year", "1996")]
    [InlineData("doc.At.Month + 1", "8")]
    [InlineData("doc.At.DayOfWeek", "\"Thursday\"")]
    [InlineData("doc.At.AddDays(1)", "\"1996-07-05T00:00:00.0000000\"")]
    [InlineData("doc.At.ToString(\"yyyy-MM\")", "\"1996-07\"")]
    [InlineData("$\"{doc.At:dd.MM.yyyy}\"", "\"04.07.1996\"")]
    [InlineData("(doc.Ship - doc.At).Days", "12")]
    [InlineData("(doc.Ship - doc.At).TotalHours", "300.5")]
    [InlineData("doc.Ship > doc.At", "true")]
    [InlineData("doc.At < new DateTime(1997, 1, 1)", "true")]
    [InlineData("new DateTime(1997, 1, 1) - doc.At > TimeSpan.FromDays(100)", "true")]
    [InlineData("doc.At == \"1996-07-04\"", "false")]
    [InlineData("DateTime.Parse(doc.At).AddMonths(1)", "\"1996-08-04T00:00:00.0000000\"")]
    [InlineData("doc.Ship.Date", "\"1996-07-16T00:00:00.0000000\"")]
    [InlineData("doc.Zoned.AddHours(1)", "\"2024-03-01T00:00:00.0000000+02:00\"")]
    [InlineData("doc.Missing.Year", "null")]
    [InlineData("doc.Missing.AddDays(1)", "null")]
    [InlineData("(DateTime)doc.At", "\"1996-07-04T00:00:00.0000000\"")]
    [InlineData("DateOnly.Parse(\"2024-01-02\")", "\"2024-01-02\"")]
    // Sequences
    [InlineData("doc.Lines.Sum(l => l.PricePerUnit * l.Quantity * (1 - l.Discount))", "391.6")]
    [InlineData("doc.Lines.Sum(l => l.Quantity)", "27")]
    [InlineData("doc.Missing.Sum(l => l.Quantity)", "0")]
    [InlineData("doc.Lines.Count()", "3")]
    [InlineData("doc.Lines.Count(l => l.Quantity > 5)", "2")]
    [InlineData("doc.Missing.Any()", "false")]
    [InlineData("doc.Lines.Any(l => l.Product == \"p/2\")", "true")]
    [InlineData("doc.Lines.All(l => l.Quantity > 0)", "true")]
    [InlineData("doc.Lines.Max(l => l.PricePerUnit)", "34.8")]
    [InlineData("doc.Lines.Min(l => l.Quantity)", "5")]
    [InlineData("doc.Lines.Average(l => l.Quantity)", "9")]
    [InlineData("doc.Numbers.Sum()", "6")]
    [InlineData("doc.Numbers.Max()", "3")]
    [InlineData("doc.Numbers.OrderBy(n => n)", "[1,2,3]")]
    [InlineData("doc.Tags.Distinct().OrderByDescending(t => t).ToList()", "[\"c\",\"b\",\"a\"]")]
    [InlineData("doc.Tags.Contains(\"c\")", "true")]
    [InlineData("doc.Tags.Contains(\"z\")", "false")]
    [InlineData("new[] { \"shipped\", \"paid\" }.Contains(doc.Status)", "true")]
    [InlineData("new List<string> { \"shipped\" }.Contains(doc.Status)", "true")]
    [InlineData("doc.Lines.Select(l => l.Product).Distinct().ToArray()", "[\"p/1\",\"p/2\"]")]
    [InlineData(
        "doc.Lines.Where(l => l.Discount > 0).Select(l => new { l.Product, Net = l.PricePerUnit * (1 - l.Discount) })",
        "[{\"Product\":\"p/2\",\"Net\":9.31},{\"Product\":\"p/1\",\"Net\":26.1}]"
    )]
    [InlineData(
        "doc.Lines.GroupBy(l => l.Product).Select(g => new { g.Key, Units = g.Sum(x => x.Quantity) })",
        "[{\"Key\":\"p/1\",\"Units\":17},{\"Key\":\"p/2\",\"Units\":10}]"
    )]
    [InlineData("doc.Lines.OrderBy(l => l.Product).ThenByDescending(l => l.Quantity).First().Quantity", "12")]
    [InlineData("doc.Lines.FirstOrDefault(l => l.Quantity > 100).Product", "null")]
    [InlineData("doc.Lines.Last().Quantity", "5")]
    [InlineData("doc.Lines.Single(l => l.Product == \"p/2\").Quantity", "10")]
    [InlineData("doc.Lines.Skip(1).Take(1).Select(l => l.Product)", "[\"p/2\"]")]
    [InlineData(
        "doc.Lines.ToDictionary(l => l.Quantity.ToString(), l => l.Product)",
        "{\"12\":\"p/1\",\"10\":\"p/2\",\"5\":\"p/1\"}"
    )]
    [InlineData("doc.Lines.Aggregate(0m, (sum, l) => sum + l.Quantity)", "27")]
    [InlineData("doc.Tags.Zip(doc.Numbers, (t, n) => t + n)", "[\"b3\",\"a1\",\"c2\"]")]
    [InlineData("doc.Tags.Reverse()", "[\"a\",\"c\",\"a\",\"b\"]")]
    [InlineData("doc.Tags.Concat(doc.Numbers)", "[\"b\",\"a\",\"c\",\"a\",3,1,2]")]
    [InlineData("doc.Tags.Select((t, i) => new { t, i }).Last()", "{\"t\":\"a\",\"i\":3}")]
    [InlineData("from l in doc.Lines where l.Quantity > 5 orderby l.Quantity select l.Product", "[\"p/2\",\"p/1\"]")]
    [InlineData(
        "from l in doc.Lines group l by l.Product into g select new { g.Key, N = g.Count() }",
        "[{\"Key\":\"p/1\",\"N\":2},{\"Key\":\"p/2\",\"N\":1}]"
    )]
    [InlineData("Enumerable.Range(1, 3).Select(i => i * doc.Qty)", "[3,6,9]")]
    [InlineData("doc.Lines.SelectMany(l => new[] { l.Product, l.Quantity }).Take(2)", "[\"p/1\",12]")]
    // Choice
    [InlineData("doc.Status switch { \"shipped\" => 1, \"paid\" => 2, _ => 0 }", "1")]
    [InlineData("doc.Qty switch { 1 => \"one\", > 2 and < 5 => \"few\", _ => \"many\" }", "\"few\"")]
    [InlineData("doc.Price switch { > 10 => \"dear\", _ => \"cheap\" }", "\"dear\"")]
    [InlineData("doc.Missing switch { null => \"none\", _ => \"some\" }", "\"none\"")]
    [InlineData("doc.Status is \"shipped\" or \"paid\"", "true")]
    [InlineData("doc.Qty is > 2 and < 10", "true")]
    [InlineData("doc.Name is string s ? s.Length : 0", "12")]
    [InlineData("doc.Status switch { \"shipped\" => doc.Qty, _ => 0 }", "3")]
    [InlineData("doc.At.DayOfWeek switch { DayOfWeek.Thursday => \"th\", _ => \"other\" }", "\"th\"")]
    [InlineData("!doc.Active", "false")]
    [InlineData("doc.Active && doc.Status == \"shipped\"", "true")]
    [InlineData("doc.Missing || doc.Active", "true")]
    // Objects
    [InlineData(
        "new { doc.Name, doc.ShipTo.Country, Where = doc.ShipTo }",
        "{\"Name\":\"Ada Lovelace\",\"Country\":\"FR\",\"Where\":{\"City\":\"Reims\",\"Country\":\"FR\",\"Region\":null}}"
    )]
    [InlineData(
        "new { doc?.ShipTo?.City, N = (int?)null, D = 1.50m, E = DayOfWeek.Friday, T = (1, \"a\") }",
        "{\"City\":\"Reims\",\"N\":null,\"D\":1.50,\"E\":\"Friday\",\"T\":[1,\"a\"]}"
    )]
    [InlineData(
        "new Dictionary<string, object> { [\"a\"] = doc.Qty, [\"b\"] = new[] { 1, 2 }, [\"c\"] = null }",
        "{\"a\":3,\"b\":[1,2],\"c\":null}"
    )]
    [InlineData("new object[] { doc.Qty, \"x\", 1.5, true, null, new { } }", "[3,\"x\",1.5,true,null,{}]")]
    [InlineData(
        "doc.ShipTo.With(new { City = \"Paris\", Zip = 7 })",
        "{\"City\":\"Paris\",\"Country\":\"FR\",\"Region\":null,\"Zip\":7}"
    )]
    [InlineData("doc.ShipTo.Without(\"City\", \"Region\")", "{\"Country\":\"FR\"}")]
    [InlineData("doc.ShipTo.Properties().Select(p => p.Key)", "[\"City\",\"Country\",\"Region\"]")]
    [InlineData("new Guid(\"00112233-4455-6677-8899-aabbccddeeff\")", "\"00112233-4455-6677-8899-aabbccddeeff\"")]
    [InlineData("new StringBuilder().Append(doc.Name).Append('/').Append(doc.Qty).ToString()", "\"Ada Lovelace/3\"")]
    [InlineData("Uri.EscapeDataString(doc.Name)", "\"Ada%20Lovelace\"")]
    [InlineData("Convert.ToBase64String(Encoding.UTF8.GetBytes(doc.Code))", "\"MTI=\"")]
    [InlineData("metadata[\"@id\"]", "\"docs/1\"")]
    [InlineData("id", "\"docs/1\"")]
    [InlineData("TimeSpan.FromMinutes(doc.Qty)", "\"00:03:00\"")]
    [InlineData("new DateTime(doc.At.Year, doc.At.Month, 1)", "\"1996-07-01T00:00:00.0000000\"")]
    [InlineData("(doc.Name, doc.Qty).Qty", "3")]
    public void Expression(string expression, string expected) =>
        Assert.Equal("t " + expected, ScriptHost.Run($"send(\"t\", {expression});", Order));

    /// <summary>Statements.</summary>
    [Theory]
    [InlineData("if (doc.Qty > 10) return; send(\"t\", 1)", "CS1002")]
    [InlineData("if (doc.Qty > 1) return; send(\"t\", 1);", "")]
    [InlineData("if (doc.Qty > 10) return; send(\"t\", 1); return;", "t 1")]
    [InlineData(
        "foreach (var l in doc.Lines) send(\"lines\", new { l.Product }, key: l.Product);",
        "lines key=p/1 {\"Product\":\"p/1\"}\nlines key=p/2 {\"Product\":\"p/2\"}\nlines key=p/1 {\"Product\":\"p/1\"}"
    )]
    [InlineData("foreach (var x in doc.Missing) send(\"t\", x);", "")]
    [InlineData("foreach (string tag in doc.Tags) { if (tag == \"c\") break; send(tag, null); }", "b null\na null")]
    [InlineData(
        "send(\"t\", null, key: id, id: \"m1\", type: \"order\", source: \"/shop\");",
        "t key=docs/1 id=m1 type=order source=/shop null"
    )]
    [InlineData("send(\"t\", doc.Qty, doc.Qty);", "t key=3 3")]
    [InlineData(
        "var sum = 0m; foreach (var l in doc.Lines) sum += l.PricePerUnit * l.Quantity; send(\"t\", sum);",
        "t 440.0"
    )]
    [InlineData(
        "var sum = 0; for (var i = 0; i < doc.Lines.Count; i++) sum += doc.Lines[i].Quantity; send(\"t\", sum);",
        "t 27"
    )]
    [InlineData(
        "decimal Net(dynamic l) => l.PricePerUnit * (1 - l.Discount); send(\"t\", doc.Lines.Select(l => Net(l)));",
        "t [14.00,9.310,26.100]"
    )]
    [InlineData(
        "switch (doc.Status) { case \"paid\": send(\"p\", 1); break; case \"shipped\": send(\"s\", 2); break; default: send(\"d\", 3); break; }",
        "s 2"
    )]
    [InlineData("switch (doc.Qty) { case 3: send(\"three\", 1); break; }", "three 1")]
    [InlineData(
        "string name = doc.Name; int q = doc.Qty; double p = doc.Price; bool a = doc.Active; DateTime at = doc.At; send(\"t\", new { name, q, p, a, at.Year });",
        "t {\"name\":\"Ada Lovelace\",\"q\":3,\"p\":10.1,\"a\":true,\"Year\":1996}"
    )]
    [InlineData(
        "var d = new Dictionary<string, int>(); foreach (var l in doc.Lines) { d.TryGetValue(l.Product, out var n); d[l.Product] = n + l.Quantity; } send(\"t\", d);",
        "t {\"p/1\":17,\"p/2\":10}"
    )]
    [InlineData("var (a, b) = (doc.Qty, doc.Code); send(\"t\", new[] { a, b });", "t [3,\"12\"]")]
    [InlineData("var total = doc.Lines.Sum(l => l.Quantity);\nif (total < 500) return;\nsend(\"t\", total);", "")]
    [InlineData(
        "var list = new List<object>(); while (list.Count < doc.Qty) list.Add(new { N = list.Count }); send(\"t\", list);",
        "t [{\"N\":0},{\"N\":1},{\"N\":2}]"
    )]
    [InlineData(
        "try { send(\"t\", int.Parse(doc.Name)); } catch (FormatException) { send(\"bad\", doc.Name); }",
        "bad \"Ada Lovelace\""
    )]
    [InlineData("List<string> tags = [.. doc.Tags, \"z\"]; send(\"t\", tags);", "t [\"b\",\"a\",\"c\",\"a\",\"z\"]")]
    [InlineData("List<string> tags = [.. doc.Missing]; send(\"t\", tags);", "t []")]
    [InlineData("Func<int, int> twice = n => n * 2; send(\"t\", twice(doc.Qty));", "t 6")]
    [InlineData(
        "var best = doc.Lines[0]; foreach (var l in doc.Lines) if (l.PricePerUnit > best.PricePerUnit) best = l; send(\"t\", best.Product);",
        "t \"p/1\""
    )]
    [InlineData(
        "var seen = new HashSet<string>(); foreach (var t in doc.Tags) if (seen.Add(t)) send(t, seen.Count);",
        "b 1\na 2\nc 3"
    )]
    [InlineData(
        "if (doc.ShipTo.Country == \"FR\" && doc.Lines.Any(l => l.Quantity > 10)) send($\"orders-{doc.ShipTo.Country.ToLower()}\", id);",
        "orders-fr \"docs/1\""
    )]
    [InlineData(
        "send(doc.Status, doc.Tags.Select(t => new { T = t, Up = t.ToUpper() }).Where(x => x.Up != \"A\"), key: doc.ShipTo.City);",
        "shipped key=Reims [{\"T\":\"b\",\"Up\":\"B\"},{\"T\":\"c\",\"Up\":\"C\"}]"
    )]
    [InlineData("var n = doc.Qty; n++; n += 2; send(\"t\", n);", "t 6")]
    [InlineData("decimal? x = doc.Missing; send(\"t\", x ?? 5m);", "t 5")]
    [InlineData("", "")]
    [InlineData("// nothing", "")]
    public void Statements(string script, string expected)
    {
        var result = Pipeline.Scripting.ScriptCompiler.Shared.CompileTransform(script);
        if (expected.StartsWith("CS", StringComparison.Ordinal))
        {
            Assert.Contains(result.Errors, e => e.Code == expected);
            return;
        }

        Assert.Equal(expected, ScriptHost.Run(script, Order));
    }
}
