using System.Text;
using Pipeline.Configuration;
using Pipeline.Configuration.Testing;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Tests.Runner;
using Pipeline.JavaScript;
using Pipeline.Scripting;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Transforms;

/// <summary>Transforms in JavaScript: their input, the messages they send, and the limits that stop them.</summary>
public sealed class JavaScriptTransformTests
{
    private const string Metadata =
        """{"@id":"things/1","@collection":"Things","@last-modified":"2020-01-02T03:04:05.0000000Z"}""";

    [Theory]
    [InlineData("loadToOrders({ a: this.N + 1, b: this.List.map(x => x * 2) });", """Orders - {"a":2,"b":[2,4,6]}""")]
    [InlineData(
        "loadToOrders(this);",
        """Orders - {"N":1,"Big":12345678901234567890,"Name":"é","List":[1,2,3],"In":{"X":1.50},"@metadata":{}}"""
    )]
    [InlineData(
        "this.N = 2; loadToOrders(this);",
        """Orders - {"N":2,"Big":12345678901234567890,"Name":"é","List":[1,2,3],"In":{"X":1.50},"@metadata":{}}"""
    )]
    [InlineData(
        "loadTo('a-b', { i: id(this), c: getMetadata(this)['@collection'], m: this['@metadata']['@id'] });",
        """a-b - {"i":"things/1","c":"Things","m":"things/1"}"""
    )]
    [InlineData(
        "loadToX(load('other/1').Name, { PartitionKey: id(this) }); loadToX(load('no'), { RoutingKey: 'r' });",
        "X things/1 \"other\"|X r null"
    )]
    [InlineData("for (var i = 0; i < 2; i++) loadToX(i);", "X - 0|X - 1")]
    [InlineData(
        "if (isDeleted) return; loadToX({ d: new Date(0), n: NaN, u: undefined, f: () => 1, t: new Date().toISOString() });",
        """X - {"d":"1970-01-01T00:00:00.0000000Z","n":null,"t":"2020-01-02T03:04:05.000Z"}"""
    )]
    [InlineData(
        "function twice(x) { return x * 2; } const { N, ...rest } = this; loadToX({ N: twice(N), keys: Object.keys(rest).length, s: JSON.stringify(this.In), i: 'N' in this });",
        """X - {"N":2,"keys":5,"s":"{\"X\":1.5}","i":true}"""
    )]
    [InlineData(
        "const m = getMetadata(this); loadToX({ a: m, b: { ...m }, l: [m] }); loadToX(m);",
        $$"""X - {"a":{{Metadata}},"b":{{Metadata}},"l":[{{Metadata}}]}|X - {{Metadata}}"""
    )]
    [InlineData(
        "loadToX({ ...load('other/1') }); loadToX({ of: load('other/1') }); loadToX({ of: load('other/1')['@metadata'] });",
        """X - {"Name":"other"}|X - {"of":{"Name":"other"}}|X - {"of":{"@id":"other/1","@collection":"@empty"}}"""
    )]
    [InlineData(
        "delete this.Big; delete this['@metadata']; this.In.Y = null; loadToX(this);",
        """X - {"N":1,"Name":"é","List":[1,2,3],"In":{"X":1.50,"Y":null}}"""
    )]
    public void It_sends_what_the_script_says(string script, string expected) =>
        Assert.Equal(expected, string.Join('|', Run(script)));

    [Theory]
    [InlineData("\n  throw new Error('x');", 2, 9, "x")]
    [InlineData("var a = null; a.b();", 1, 15, "TypeError: Cannot read property 'b' of null")]
    [InlineData("undeclared = 1;", 1, 1, "ReferenceError: undeclared is not defined")]
    [InlineData("Array.prototype.leak = 1;", 1, 1, "TypeError")]
    [InlineData("globalThis.leak = 1;", 1, 1, "TypeError")]
    [InlineData("Math.random();", 0, 0, "Math.random is not there")]
    [InlineData(
        "loadToX({}, { Kye: 1 });",
        1,
        1,
        "loadToX has no attribute 'Kye'; it has Id, Type, Source, PartitionKey, RoutingKey"
    )]
    [InlineData("var a = {}; a.a = a; loadToX(a);", 1, 30, "nested more than 128 deep")]
    [InlineData("eval('1')", 1, 1, "")]
    [InlineData("new Function('return 1')()", 1, 1, "")]
    [InlineData("System.IO.File.Delete('x')", 1, 1, "System is not defined")]
    public void Errors_say_where(string script, int line, int column, string expected)
    {
        var e = Assert.ThrowsAny<ScriptRuntimeException>(() => Run(script));
        Assert.Contains(expected, e.Message, StringComparison.Ordinal);
        if (line > 0)
            Assert.Equal((line, column), (e.Line, e.Column));
    }

    [Theory]
    [InlineData("while (true) { }", "MaxSteps")]
    [InlineData("var s = []; while (true) s.push('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' + s.length);", "MaxAllocatedBytes")]
    [InlineData("var s = 'x'; while (true) { s = s + s; s.charCodeAt(0); }", "MaxAllocatedBytes")]
    [InlineData("var s = 'x'; while (true) s = s + s;", "MaxAllocatedBytes")]
    [InlineData("function f() { return 1 + f(); } f();", "stack")]
    [InlineData("const f = n => f(n + 1) + 1; f(0);", "stack")]
    [InlineData("const f = n => g(n), g = n => [n].map(f)[0]; f(0);", "built-in functions within each other")]
    [InlineData("const o = { get a() { return this.a; } }; o.a;", "stack")]
    [InlineData("const o = { toString() { return '' + this; } }; '' + o;", "stack")]
    [InlineData("class A { constructor() { this.a = new A(); } } new A();", "stack")]
    [InlineData("const f = ([a] = f()) => a; f();", "stack")]
    [InlineData("const f = ({ a = f({}) }) => a; f({});", "stack")]
    [InlineData("const f = (a = g()) => a, g = (b = f()) => b; f();", "stack")]
    [InlineData("const make = () => (a = make()()) => a; make()();", "stack")]
    [InlineData("class A { a = new A(); } new A();", "stack")]
    [InlineData("class A { get a() { return this.a; } } try { new A().a; } catch (e) { loadToX(e); }", "stack")]
    [InlineData("const f = (a = f()) => a; try { f(); } catch (e) { loadToX(e); }", "stack")]
    [InlineData("try { while (true) { } } catch (e) { loadToX(e); }", "MaxSteps")]
    [InlineData("for (var i = 0; i < 200; i++) loadToX(i);", "MaxMessages")]
    [InlineData("loadToX('x'.repeat(20000));", "MaxBodyBytes")]
    [InlineData("var s = 'x'.repeat(20000000);", "MaxAllocatedBytes")]
    public void Limits_hold_and_cannot_be_caught(string script, string limit)
    {
        var limits = new ScriptLimits
        {
            MaxSteps = 200_000,
            MaxAllocatedBytes = 32 << 20,
            MaxMessages = 100,
            MaxBodyBytes = 10_000,
            MaxTime = TimeSpan.FromMinutes(1),
        };
        var e = Assert.Throws<ScriptLimitException>(() => Run(script, limits));
        Assert.Equal(limit, e.Limit);
    }

    [Fact]
    public void A_run_that_is_cancelled_ends()
    {
        var script = JavaScriptCompiler.CompileTransform("while (true) loadToX(1);").Script!;
        using var stop = new CancellationTokenSource();
        var output = new Output { Sent = _ => stop.Cancel() };
        Assert.Throws<OperationCanceledException>(() =>
            script.Run(new ScriptContext(output) { Document = Document() }, stop.Token)
        );
    }

    [Theory]
    [InlineData("t.toUpperCase()")]
    [InlineData("t.trim().substring(1)")]
    [InlineData("t.charCodeAt(1)")]
    [InlineData("t.startsWith('a')")]
    public void Short_calls_within_one_statement_see_that_the_run_is_cancelled(string call)
    {
        var calls = string.Join(", ", Enumerable.Repeat(call, 40));
        var script = JavaScriptCompiler.CompileTransform($"const t = 'abc'; [loadToX(1), {calls}];").Script!;
        using var stop = new CancellationTokenSource();
        var output = new Output { Sent = _ => stop.Cancel() };
        Assert.Throws<OperationCanceledException>(() =>
            script.Run(new ScriptContext(output) { Document = Document() }, stop.Token)
        );
    }

    [Fact]
    public async Task Many_threads_run_one_script_and_no_run_leaves_anything()
    {
        var script = JavaScriptCompiler
            .CompileTransform("var n = 0; for (const x of this.List) n += x; this.N += n; loadToX(this.N);")
            .Script!;
        await Parallel.ForAsync(
            0,
            8,
            (_, stop) =>
            {
                var output = new Output();
                var context = new ScriptContext(output) { Document = Document() };
                for (var i = 0; i < 50; i++)
                    script.Run(context, stop);
                Assert.All(output.Messages, m => Assert.Equal("X - 7", m));
                return ValueTask.CompletedTask;
            }
        );
    }

    [Fact]
    public void Lint_says_file_line_and_column()
    {
        var yaml = Yaml("      loadToX({ a: this.N });\n      var b = ;\n");
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(yaml, "f.yaml", FixedVariables.None).CreatePlan()
        );
        Assert.StartsWith(
            "f.yaml:12:15: transform of 't': Unexpected token ';'",
            Assert.Single(e.Diagnostics).ToString(),
            StringComparison.Ordinal
        );
        e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(Yaml("      }) ; (function () {\n"), "f.yaml", FixedVariables.None).CreatePlan()
        );
        Assert.StartsWith("f.yaml:11:7: ", Assert.Single(e.Diagnostics).ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("[", "]", 20_000, true)]
    [InlineData("(", ")", 5_000, true)]
    [InlineData("(", ")", 250, false)]
    [InlineData("!", "", 20_000, true)]
    [InlineData("1 + ", "", 20_000, true)]
    [InlineData("1 + ", "", 50, false)]
    public void What_is_nested_too_deeply_is_an_error_with_its_place(string open, string close, int times, bool isError)
    {
        var source =
            "var a = 1;\nvar b = "
            + string.Concat(Enumerable.Repeat(open, times))
            + "1"
            + string.Concat(Enumerable.Repeat(close, times))
            + ";";
        var compiled = JavaScriptCompiler.CompileTransform(source);
        Assert.Equal(isError ? 1 : 0, compiled.Errors.Count);
        if (isError && close.Length > 0)
            Assert.Equal((2, 309), (compiled.Errors[0].Line, compiled.Errors[0].Column));
        if (!isError)
            compiled.Script!.Run(new ScriptContext(new Output()) { Document = Document() });
    }

    [Fact]
    public async Task Documents_are_transformed_at_once_in_engines_of_their_own()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 500);
        await f.RunToEndAsync(
            RunnerFixture.Task(
                "t",
                "var sum = 0; for (var i = 0; i <= this.N; i++) sum += i;\nloadToOut({ sum });",
                more: "language: javascript\n    parallel: 4"
            )
        );
        Assert.Equal(Enumerable.Range(0, 500).Select(n => $$"""{"sum":{{n * (n + 1) / 2}}}"""), f.Broker.Bodies());
    }

    [Fact]
    public async Task A_task_runs_it_with_deletions_dead_letters_and_loads()
    {
        await using var f = new RunnerFixture();
        var task = RunnerFixture.Task(
            "t",
            "if (isDeleted) { loadToOut({ gone: id(this) }); return; }\nif (this.N == 2) throw new Error('two');\nloadToOut({ n: this.N, o: load('other/1')?.N });",
            more: "language: javascript\n    onDelete: event\n    dependsOn: load"
        );
        await f.PutAsync("other/1", 10, "Others");
        await f.PutManyAsync(1, 3);
        await f.Database.DeleteAsync("things/3");
        await using (var host = f.Start(task))
            await f.DrainOverWaitsAsync(host);
        await f.PutAsync("other/1", 11, "Others");
        await f.RunToEndAsync(task);
        Assert.Equal(["""{"n":1,"o":10}""", """{"gone":"things/3"}""", """{"n":1,"o":11}"""], f.Broker.Bodies());
        var letter = Assert.Single(f.DeadLetters());
        Assert.Contains("two", letter.GetRawText(), StringComparison.Ordinal);
    }

    [Fact]
    public void Its_cases_are_tested()
    {
        var folder = Directory.CreateTempSubdirectory("pipeline-js-").FullName;
        try
        {
            var file = Path.Combine(folder, "pipeline.yaml");
            File.WriteAllText(
                file,
                Yaml("      loadToX({ a: this.N });\n")
                    + """
                        tests:
                          - name: one
                            document: { id: a/1, body: { N: 5 } }
                            expect: [{ destination: X, body: { a: 5 } }]
                          - name: two
                            document: { id: a/1, body: { N: 5 } }
                            expect: [{ destination: X, body: { a: 6 } }]

                    """
            );
            var report = TransformTester.Load(file, FixedVariables.None).Run();
            Assert.Equal((2, 1), (report.Cases, report.Failed));
            Assert.False(report.Tasks[0].HasCoverage);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static string Yaml(string script) =>
        """
            version: 1
            database: { name: a, path: . }
            connections:
              c: { files: }
            etl:
              - name: t
                from: [A]
                to: c
                language: javascript
                transform: |

            """ + script;

    private static ScriptDocument Document() =>
        ScriptDocument.FromJson(
            "things/1",
            """{"N":1,"Big":12345678901234567890,"Name":"é","List":[1,2,3],"In":{"X":1.50},"@metadata":{}}"""
        ) with
        {
            Collection = "Things",
            LastModified = new DateTimeOffset(2020, 1, 2, 3, 4, 5, TimeSpan.Zero),
        };

    private static List<string> Run(string source, ScriptLimits? limits = null)
    {
        var script = JavaScriptCompiler.CompileTransform(source).Script!;
        var output = new Output();
        script.Run(new ScriptContext(output, new Documents(), limits) { Document = Document() });
        return output.Messages;
    }

    private sealed class Documents : IScriptDocuments
    {
        public bool TryLoad(string id, out ScriptDocument document)
        {
            document = ScriptDocument.FromJson(id, """{"Name":"other"}""");
            return id == "other/1";
        }
    }

    private sealed class Output : IScriptOutput
    {
        public List<string> Messages { get; } = [];

        public Action<int>? Sent { get; init; }

        public void Send(in ScriptMessage message)
        {
            Messages.Add($"{message.Destination} {message.Key ?? "-"} {Encoding.UTF8.GetString(message.Body)}");
            Sent?.Invoke(Messages.Count);
        }
    }
}
