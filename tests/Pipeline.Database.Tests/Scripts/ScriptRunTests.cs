using System.Globalization;
using Pipeline.Scripting;
using Xunit;

namespace Pipeline.Database.Tests.Scripts;

/// <summary>Runs: errors with their lines, limits, threads, helpers, loaded documents, deletions.</summary>
public sealed partial class ScriptRunTests
{
    [Theory]
    [InlineData("var a = 1;\nvar b = doc.Zero;\n\nsend(\"t\", a / b);", 4, "divide by zero")]
    [InlineData("var n = doc.Name;\nint x = n;", 2, "\"abc\" cannot be converted to int")]
    [InlineData("int x = doc.Missing;", 1, "null (or a missing property) cannot be converted to int")]
    [InlineData("\nint x = doc.Price;", 2, "14.5 has a fraction")]
    [InlineData(
        """
            foreach (var l in doc.Lines)
            {
                var x = l.A;
                throw new InvalidOperationException($"bad {x}");
            }
            """,
        4,
        "bad 1"
    )]
    [InlineData("var s = doc.Lines\n  .Select(l => l.A)\n  .First(a => a > 5);", 1, "no matching element")]
    [InlineData("send(\"t\", double.Parse(\"NaN\"));", 1, "NaN cannot be written as JSON")]
    [InlineData("send(doc.Missing, 1);", 1, "without a destination")]
    [InlineData("string s = null;\nsend(\"t\", s.Length);", 2, "null")]
    [InlineData("send(\"t\", doc.Name - 1);", 1, "\"abc\" - 1 is not defined")]
    [InlineData("if (doc.Name) send(\"t\", 1);", 1, "\"abc\" is not true or false")]
    [InlineData("send(\"t\", doc.Name.AddDays(1));", 1, "\"abc\" is not a date")]
    public void A_failure_says_where(string source, int line, string message)
    {
        var script = ScriptHost.Compile(source);
        var document = ScriptDocument.FromJson(
            "x/1",
            """{"Zero":0,"Name":"abc","Price":14.5,"Lines":[{"A":1},{"A":2}]}"""
        );
        var e = Assert.Throws<ScriptRuntimeException>(() => new ScriptHost().Run(script, document));
        Assert.Contains(message, e.Message, StringComparison.Ordinal);
        Assert.Equal(line, e.Line);
        Assert.True(e.Column > 0);
        Assert.NotNull(e.InnerException);
    }

    [Fact]
    public void A_failure_in_a_helper_names_it()
    {
        var script = ScriptHost.Compile(
            "send(\"t\", Half(doc.N));",
            new ScriptHelper(
                "math",
                """
                int Half(ScriptValue n)
                {
                    if (n > 5)
                        throw new ArgumentException("too big");
                    return n / 2;
                }
                """
            )
        );
        var host = new ScriptHost();
        host.Run(script, ScriptDocument.FromJson("x/1", """{"N":4}"""));
        Assert.Equal(["t 2"], host.Messages);
        var e = Assert.Throws<ScriptRuntimeException>(() =>
            host.Run(script, ScriptDocument.FromJson("x/1", """{"N":6}"""))
        );
        Assert.Equal(("math", 4), (e.ScriptSource, e.Line));
    }

    [Fact]
    public void A_helpers_regular_expression_serves_every_run()
    {
        var script = ScriptHost.Compile(
            "send(\"t\", Words.Matches(doc.A).Select(m => m.Value));",
            new ScriptHelper(
                "words",
                "static readonly System.Text.RegularExpressions.Regex Words = new(\"[a-z]+\", RegexOptions.IgnoreCase);"
            )
        );
        var host = new ScriptHost();
        host.Run(script, ScriptDocument.FromJson("x/1", """{"A":"one Two"}"""));
        host.Run(
            script,
            ScriptDocument.FromJson("x/2", """{"A":"3"}"""),
            new ScriptLimits { MaxTime = TimeSpan.FromMinutes(1) }
        );
        Assert.Equal(["t [\"one\",\"Two\"]", "t []"], host.Messages);
    }

    [Fact]
    public async Task One_script_runs_on_several_threads()
    {
        var script = ScriptHost.Compile(
            "foreach (var n in doc.Numbers) send(\"t\", new { id, Twice = n * 2, Sum = doc.Numbers.Sum() });"
        );
        var runs = Enumerable
            .Range(0, 4)
            .Select(thread =>
                Task.Run(() =>
                {
                    var host = new ScriptHost();
                    var context = new ScriptContext(host);
                    for (var i = 0; i < 500; i++)
                    {
                        context.Document = ScriptDocument.FromJson(
                            $"x/{thread}-{i}",
                            $$"""{"Numbers":[{{i}},{{thread}}]}"""
                        );
                        script.Run(context);
                    }

                    return host.Bodies;
                })
            );
        var results = await Task.WhenAll(runs);
        for (var thread = 0; thread < 4; thread++)
        {
            var expected = Enumerable
                .Range(0, 500)
                .SelectMany(
                    i => new[] { i, thread },
                    (i, n) => $$"""{"id":"x/{{thread}}-{{i}}","Twice":{{n * 2}},"Sum":{{i + thread}}}"""
                );
            Assert.Equal(expected, results[thread]);
        }
    }

    [Fact]
    public async Task Scripts_compile_on_several_threads()
    {
        var compiled = await Task.WhenAll(
            Enumerable
                .Range(0, 6)
                .Select(i => Task.Run(() => new ScriptCompiler().CompileTransform($"send(\"t{i % 3}\", doc.A + {i});")))
        );
        Assert.All(compiled, c => Assert.True(c.Succeeded));
    }

    [Fact]
    public void Equal_texts_are_compiled_once()
    {
        var a = ScriptHost.Compile("send(\"same\", 1);");
        Assert.Same(a, ScriptHost.Compile("send(\"same\", 1);"));
        Assert.NotSame(a, ScriptHost.Compile("send(\"same\", 2);"));
        GC.KeepAlive(a);
    }

    [Fact]
    public void Load_reads_other_documents()
    {
        var host = new ScriptHost();
        host.Documents["companies/1"] = ScriptDocument.FromJson(
            "companies/1",
            """{"Name":"Ada","Contact":{"Phone":"1"}}"""
        );
        host.Run(
            ScriptHost.Compile(
                "var c = load(doc.Company); send(\"t\", new { c.Name, load(doc.Company).Contact.Phone, None = load(\"companies/2\").Name, Null = load(doc.Missing)?.Name });"
            ),
            ScriptDocument.FromJson("orders/1", """{"Company":"companies/1"}""")
        );
        Assert.Equal(["t {\"Name\":\"Ada\",\"Phone\":\"1\",\"None\":null,\"Null\":null}"], host.Messages);
    }

    [Fact]
    public void A_deletion_has_an_id_and_an_empty_document()
    {
        var host = new ScriptHost();
        host.Run(
            ScriptHost.Compile(
                "if (isDeleted) send(\"gone\", new { id, collection, doc.Name, Lines = doc.Lines.Count() }, key: id);"
            ),
            ScriptDocument.Deleted("orders/1", "Orders")
        );
        Assert.Equal(
            ["gone key=orders/1 {\"id\":\"orders/1\",\"collection\":\"Orders\",\"Name\":null,\"Lines\":0}"],
            host.Messages
        );
    }

    [Fact]
    public void Metadata_has_what_is_known_of_the_document()
    {
        var host = new ScriptHost();
        var document = ScriptDocument.FromJson("orders/1", """{"A":1,"@metadata":{"tenant":"x"}}""") with
        {
            Collection = "Orders",
            ChangeVector = "A:1-x",
            LastModified = new DateTimeOffset(2024, 1, 2, 3, 4, 5, TimeSpan.Zero),
        };
        host.Run(ScriptHost.Compile("send(\"t\", metadata);"), document);
        Assert.Equal(
            [
                "t {\"@id\":\"orders/1\",\"@collection\":\"Orders\",\"@change-vector\":\"A:1-x\",\"@last-modified\":\"2024-01-02T03:04:05.0000000Z\",\"tenant\":\"x\"}",
            ],
            host.Messages
        );
    }

    [Fact]
    public void Metadata_of_a_loaded_document_is_what_is_known_of_it()
    {
        var host = new ScriptHost();
        host.Documents["orders/2"] = ScriptDocument.FromJson("orders/2", """{"A":1,"@metadata":{"tenant":"x"}}""") with
        {
            Collection = "Orders",
            ChangeVector = "A:2-x",
            LastModified = new DateTimeOffset(2024, 1, 2, 3, 4, 5, TimeSpan.Zero),
        };
        const string all =
            """{"@id":"orders/2","@collection":"Orders","@change-vector":"A:2-x","@last-modified":"2024-01-02T03:04:05.0000000Z","tenant":"x"}""";
        var script = ScriptHost.Compile(
            "var o = load(\"orders/2\"); send(\"t\", getMetadata(o)); send(\"t\", new { Of = getMetadata(o)[\"@collection\"], Gone = getMetadata(load(\"no\")), Null = getMetadata(null), o.Id, Whole = o });"
        );
        host.Run(script, ScriptDocument.FromJson("x/1", "{}"));
        host.Run(script, ScriptDocument.Deleted("x/1", "Things"));
        const string rest =
            """{"Of":"Orders","Gone":null,"Null":null,"Id":null,"Whole":{"A":1,"@metadata":{"tenant":"x"}}}""";
        Assert.Equal([all, rest, all, rest], host.Bodies);
        host.Bodies.Clear();
        host.Run(ScriptHost.Compile("send(\"t\", getMetadata(doc)[\"@id\"]);"), ScriptDocument.FromJson("x/1", "{}"));
        host.Run(
            ScriptHost.Compile("send(\"t\", new { A = metadata[\"@id\"], B = getMetadata(doc) });"),
            ScriptDocument.Deleted("x/1", "Things")
        );
        Assert.Equal(["\"x/1\"", """{"A":"x/1","B":null}"""], host.Bodies);
    }

    [Fact]
    public void The_threads_culture_does_not_matter()
    {
        var before = CultureInfo.CurrentCulture;
        var comma = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        comma.NumberFormat.NumberDecimalSeparator = ",";
        CultureInfo.CurrentCulture = comma;
        try
        {
            Assert.Equal(
                "t \"1.5 1.5 1.50\"",
                ScriptHost.Run("decimal d = 1.5m; send(\"t\", $\"{doc.A} {d} {doc.A:F2}\");", """{"A":1.5}""")
            );
            Assert.Equal(",", CultureInfo.CurrentCulture.NumberFormat.NumberDecimalSeparator);
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    [Fact]
    public void A_document_is_copied_as_it_is()
    {
        const string json =
            """{"a":1.0,"b":1e400,"c":12345678901234567890123456789.123,"d":-0.0,"e":"\u2028\ud83d\ude00","f":[[],{}],"g":{"":null}}""";
        var host = new ScriptHost();
        host.Run(
            ScriptHost.Compile(
                "send(\"t\", doc); send(\"t\", new { All = doc, Part = doc.c }); send(\"t\", new object[] { doc.a, doc.g });"
            ),
            ScriptDocument.FromJson("x/1", json)
        );
        var copy = json.Replace("\\u2028", "\u2028", StringComparison.Ordinal)
            .Replace("\\ud83d\\ude00", "😀", StringComparison.Ordinal);
        Assert.Equal(
            [copy, $$"""{"All":{{copy}},"Part":12345678901234567890123456789.123}""", """[1.0,{"":null}]"""],
            host.Bodies
        );
    }

    [Fact]
    public void A_script_goes_when_nothing_refers_to_it()
    {
        var reference = CompileAndForget();
        for (var i = 0; i < 20 && reference.IsAlive; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.False(reference.IsAlive);
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private static WeakReference CompileAndForget()
    {
        var script = new ScriptCompiler()
            .CompileTransform("send(\"t\", new { Forgotten = doc.X, Inner = new { doc.Y } });")
            .Script!;
        var host = new ScriptHost();
        host.Run(script, ScriptDocument.FromJson("x/1", """{"X":1,"Y":2}"""));
        Assert.Equal(["t {\"Forgotten\":1,\"Inner\":{\"Y\":2}}"], host.Messages);
        return new WeakReference(((CSharpTransform)script).ProgramType);
    }
}
