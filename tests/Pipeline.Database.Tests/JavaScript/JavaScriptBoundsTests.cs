using System.Buffers;
using System.Globalization;
using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.JavaScript;
using Pipeline.Scripting;
using Xunit;

namespace Pipeline.Database.Tests.JavaScript;

/// <summary>
/// Regression: a client's patch held the writer for minutes. Time and memory were checked only between statements,
/// so nothing stopped a single call of a built-in function or a single multiplication. Cases that end the process are
/// in Pipeline.CrashTests.
/// </summary>
public sealed class JavaScriptBoundsTests
{
    // Where memory is the limit that must be met, a busy machine must not meet the time first.
    private static readonly ScriptLimits Patient = new() { MaxTime = TimeSpan.FromMinutes(1), MaxSteps = 1_000_000 };

    [Theory]
    [InlineData("let s = 'x'; for (let i = 0; i < 28; i++) s = s + s; this.N = s.length;")]
    [InlineData("let s = 'x'; for (let i = 0; i < 28; i++) s += s; this.N = s.length;")]
    [InlineData("const o = { s: 'x' }; for (let i = 0; i < 28; i++) o.s += o.s; this.N = o.s.length;")]
    [InlineData("this.N = 'x'.repeat(400000000).length;")]
    [InlineData("this.N = 'x'.padEnd(400000000, 'y').length;")]
    [InlineData("this.N = Array(900000).fill('x'.repeat(10000)).join().length;")]
    [InlineData("this.N = String(Array(900000).fill('x'.repeat(10000))).length;")]
    [InlineData("this.N = JSON.stringify(Array(900000).fill('x'.repeat(10000))).length;")]
    [InlineData("this.N = 'x'.repeat(20000).replaceAll('x', 'y'.repeat(20000)).length;")]
    [InlineData("""this.N = 'ab'.repeat(20000).replace(/a/g, "$`$'").length;""")]
    [InlineData("this.N = encodeURIComponent('x'.repeat(100).concat('ß'.repeat(30000000))).length;")]
    [InlineData("const a = Array(50000).fill('abc'); this.N = a.join(a).length;")]
    [InlineData("const a = Array(50000).fill('abc'); this.N = String.prototype.repeat.call(a, 5000).length;")]
    [InlineData("const a = Array(50000).fill('abc'); this.N = 'x'.repeat(20000).replaceAll('x', a).length;")]
    [InlineData("const a = Array(50000).fill('abc'); this.N = JSON.stringify(Array(5000).fill(a)).length;")]
    [InlineData(
        "const a = { toJSON: () => Array(50000).fill('abc') }; this.N = JSON.stringify([a, Array(5000).fill(a)]).length;"
    )]
    public void A_text_does_not_grow_beyond_its_share_of_the_allocations(string script)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Equal("MaxAllocatedBytes", Assert.Throws<ScriptLimitException>(() => Patch(script)).Limit);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 768L << 20);
    }

    [Fact]
    public void A_text_that_grows_in_arrays_of_the_pool_meets_the_same_bound()
    {
        // With the smaller arrays in the pool, only the last doubling is allocated: all smaller ones together were not
        // counted.
        char[][] rented = [.. Enumerable.Range(17, 10).Select(power => ArrayPool<char>.Shared.Rent(1 << power))];
        foreach (var array in rented)
            ArrayPool<char>.Shared.Return(array);
        A_text_does_not_grow_beyond_its_share_of_the_allocations(
            "this.N = JSON.stringify(Array(900000).fill('x'.repeat(10000))).length;"
        );
    }

    [Theory]
    [InlineData("this.N = Array(4000000).fill(1).length;", "larger than maximum allowed (1048576)")]
    [InlineData("this.N = Object.keys('x'.repeat(100000)).length;", "65536")]
    [InlineData("this.N = { ...'x'.repeat(100000) };", "65536")]
    [InlineData("const { ...all } = 'x'.repeat(100000);", "65536")]
    [InlineData("""this.N = 'a'.concat('\u0301\u0327'.repeat(100000)).normalize().length;""", "combining marks")]
    [InlineData("this.N = 'ab'.repeat(20000).replace(/(?=(.*))/g, '$1').length;", "lookaround")]
    [InlineData("this.N = new Uint8Array(1000000000).length;", "Uint8Array is not defined")]
    [InlineData("this.N = BigInt(1);", "BigInt is not defined")]
    [InlineData("this.N = new Proxy({}, {});", "Proxy is not defined")]
    [InlineData("this.N = Promise.resolve();", "Promise is not defined")]
    [InlineData(
        """this.N = String.prototype.normalize.call(['\u0301\u0327'.repeat(100000)]).length;""",
        "combining marks"
    )]
    [InlineData("""this.N = 'a'.localeCompare(['\u0301\u0327'.repeat(100000)]);""", "combining marks")]
    [InlineData("this.N = Array.prototype.join.call({ length: 1000 }, 'x'.repeat(100));", "make an array of it first")]
    [InlineData("new AggregateError([]);", "AggregateError is not defined")]
    [InlineData("Math.sumPrecise([1]);", "is not a function")]
    [InlineData("new Set([1]).union(new Set([2]));", "is not a function")]
    [InlineData("[1].values().forEach(Object);", "is not a function")]
    public void What_cannot_be_bounded_is_refused(string script, string expected) =>
        Assert.Contains(
            expected,
            Assert.ThrowsAny<ScriptRuntimeException>(() => Patch(script)).Message,
            StringComparison.Ordinal
        );

    [Theory]
    [InlineData("var a = 1;\nvar b = 3n;", 2, 9, "BigInt may not be used")]
    [InlineData("async function f() { }", 1, 1, "asynchronous functions may not be used")]
    [InlineData("const f = function* () { };", 1, 11, "generator functions may not be used")]
    [InlineData("import('fs');", 1, 1, "modules may not be used")]
    [InlineData("pipeline$measure = 1;", 1, 1, "the name 'pipeline$measure' is reserved")]
    [InlineData("let { a: { ...b }, c: [...d], ...e } = this;", 1, 5, "at most 2 rests")]
    public void Syntax_that_cannot_be_bounded_is_refused_with_its_place(
        string script,
        int line,
        int column,
        string expected
    )
    {
        var error = Assert.Single(JavaScriptCompiler.CompilePatch(script).Errors);
        Assert.Equal((line, column), (error.Line, error.Column));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("this.A = 'x'; Object.defineProperty(this, 'B', { enumerable: true, get() { for (;;) { } } });")]
    [InlineData("throw { get name() { for (;;) { } } };")]
    [InlineData("try { for (;;) { } } finally { for (;;) { } }")]
    public void What_runs_after_the_script_is_part_of_its_run(string script) =>
        Assert.Equal("MaxSteps", Assert.Throws<ScriptLimitException>(() => Patch(script)).Limit);

    [Theory]
    [InlineData(
        "let s = ''; for (let i = 0; i < 3; i++) s += this.Name + i + this.Name; this.N = s;",
        "ab0abab1abab2ab"
    )]
    [InlineData("let n = 1; n += this.One; this.N = n + this.One + 'x' + this.Name;", "3xab")]
    [InlineData("this.N = (this.Name + this.Name) + (this.Name + this.Name);", "abababab")]
    [InlineData("var u; u += this.Name; this.N = u;", "undefinedab")]
    [InlineData(
        """this.N = 'x-y-z'.repeat(100).replace(/(-)(?<l>y)/g, '[$1$2$<l>$&$$]').slice(0, 18);""",
        "x[-yy-y$]-zx[-yy-y"
    )]
    [InlineData(
        """this.N = 'ab'.repeat(3000).replace(/(a)(?<l>b)/g, "[$2$1$<l>$&$$$3$01]").slice(0, 24);""",
        "[babab$$3a][babab$$3a][b"
    )]
    [InlineData("""this.N = 'ab'.repeat(3000).replaceAll('a', "$&$&").slice(0, 6);""", "aabaab")]
    [InlineData("this.N = [1, [2, [3]]].flat(Infinity).join('-') + [3, 1, 2].sort((a, b) => a - b);", "1-2-31,2,3")]
    [InlineData(
        "this.N = JSON.stringify({ a: [1, 'x', null, undefined, () => 1], d: new Date(0), n: { toJSON: k => k + '!' } }).replaceAll('\"', '');",
        "{a:[1,x,null,null,null],d:1970-01-01T00:00:00.000Z,n:n!}"
    )]
    [InlineData(
        "this.N = JSON.stringify(Array(9000).fill(0).map((_, i) => ({ i })), (k, v) => k === 'i' ? v + 1 : v).slice(0, 24).replaceAll('\"', '');",
        "[{i:1},{i:2},{i:3}"
    )]
    [InlineData(
        "this.N = JSON.stringify(this, ['One', 'Name'], ' ').replaceAll('\"', '').replaceAll('\\n', '');",
        "{ One: 1, Name: ab}"
    )]
    [InlineData(
        "this.N = '' + JSON.stringify() + JSON.stringify(() => 1) + JSON.stringify('a').length;",
        "undefinedundefined3"
    )]
    public void Texts_are_joined_as_ever(string script, string expected) =>
        Assert.Contains($"\"N\":\"{expected}\"", Patch(script), StringComparison.Ordinal);

    /// <summary>
    /// Regression: each read of a missing member walked down 20,000 prototypes, and a built-in function reads many
    /// members. A run took 17 s instead of 1 s.
    /// </summary>
    [Theory]
    [InlineData("d = Object.create(d);")]
    [InlineData("d = { __proto__: d };")]
    [InlineData("const e = {}; Object.setPrototypeOf(e, d); d = e;")]
    [InlineData("const e = {}; Reflect.setPrototypeOf(e, d); d = e;")]
    [InlineData("function F() { }; F.prototype = d; d = new F();")]
    [InlineData("function F() { }; F.prototype = d; d = Reflect.construct(F, []);")]
    [InlineData("class C { } C.prototype.x = 1; const e = class extends (typeof d === 'function' ? d : C) { }; d = e;")]
    public void A_chain_of_prototypes_has_an_end(string step)
    {
        Patch($"let d = {{}}; for (let i = 0; i < 200; i++) {{ {step} }}");
        var e = Assert.ThrowsAny<ScriptRuntimeException>(() =>
            Patch($"let d = {{}}; for (let i = 0; i < 300; i++) {{ {step} }}")
        );
        Assert.Contains("more than 256 prototypes", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Objects_of_classes_are_as_ever() =>
        Assert.Contains(
            "\"N\":\"B7 A 2 true 1970\"",
            Patch(
                """
                class A { constructor(x) { this.x = x; } get name() { return 'A'; } }
                class B extends A { get more() { return 'B' + this.x; } }
                const b = new B(7), o = { __proto__: b };
                const e = {}; e.__proto__ = 1;
                this.N = `${o.more} ${o.name} ${new Map([[1, 2]]).get(1)} ${b instanceof A} ${new Date(0).getFullYear()}`;
                """
            ),
            StringComparison.Ordinal
        );

    /// <summary>
    /// Regression: the sum of two numbers above 2,097,152 was measured as if it were the length of a text.
    /// </summary>
    [Theory]
    [InlineData("this.N = this.Large + this.Large;", "8000000000")]
    [InlineData("const o = { n: this.Large }; o.n += this.Large; this.N = o.n;", "8000000000")]
    [InlineData("let n = this.Large; n += this.Large; n = -(n += this.One); this.N = n;", "-8000000001")]
    public void Large_numbers_are_added_as_ever(string script, string expected) =>
        Assert.Contains($"\"N\":{expected}", Patch(script), StringComparison.Ordinal);

    /// <summary>
    /// Regression: the engine checks a run at statements and calls, and one statement may hold many thousand operands.
    /// The first case took 14 GiB, the second 10 GiB.
    /// </summary>
    [Theory]
    [InlineData("this.N = [#];", "`${s}${s}${s}${s}${s}${s}${s}${s}`", "MaxAllocatedBytes")]
    [InlineData("this.N = `#`;", "${s}", "MaxAllocatedBytes")]
    [InlineData("const o = { # };", "['a' + s + @]: 1", "MaxAllocatedBytes")]
    [InlineData("this.N = [#];", "('a' + s) < s", "MaxAllocatedBytes")]
    [InlineData("const a = new Array(200000).fill(1); this.N = [#];", "{ ...a }", "MaxAllocatedBytes")]
    [InlineData("const a = new Array(200000).fill(1); this.N = [#];", "[...a]", "MaxAllocatedBytes")]
    [InlineData("const a = new Array(200000).fill(1), #;", "{ ...r@ } = a", "MaxAllocatedBytes")]
    [InlineData("let a, b; #;", "[b, ...a] = [...s]", "MaxAllocatedBytes")]
    [InlineData("class A { # } new A();", "f@ = `${s}@`;", "MaxAllocatedBytes")]
    [InlineData("switch (s) { # }", "case `${s}@`:", "MaxAllocatedBytes")]
    [InlineData("function f(#) { } f();", "p@ = `${s}@`", "MaxAllocatedBytes")]
    [InlineData("let t = s; t = (#);", "t = `${t}${t}`", "MaxAllocatedBytes")]
    [InlineData("const u = 'x'.repeat(2000000), t = ('a' + u).slice(1); this.N = [#].length;", "u === t", "MaxTime")]
    public void A_statement_of_many_parts_is_checked_within(string script, string part, string limit)
    {
        var separator =
            script.Contains("`#`", StringComparison.Ordinal) || part.EndsWith(';') || part.EndsWith(':') ? "" : ", ";
        var parts = string.Join(
            separator,
            Enumerable
                .Range(0, 400)
                .Select(n => part.Replace("@", n.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal))
        );
        var limits =
            limit == "MaxTime"
                ? ScriptLimits.Default with
                {
                    MaxTime = TimeSpan.FromTicks(1),
                    MaxSteps = long.MaxValue,
                }
                : Patient with
                {
                    MaxAllocatedBytes = 16 << 20,
                };
        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Equal(
            limit,
            Assert
                .Throws<ScriptLimitException>(() =>
                    Patch(
                        "const s = 'x'.repeat(60000); " + script.Replace("#", parts, StringComparison.Ordinal),
                        limits
                    )
                )
                .Limit
        );
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 96 << 20);
    }

    [Fact]
    public void A_statement_of_many_parts_means_what_it_meant()
    {
        var list = string.Join(", ", Enumerable.Range(0, 150).Select(n => n + " + this.One"));
        Assert.Contains(
            "\"N\":11325",
            Patch($"this.N = [{list}].reduce((a, b) => a + b, 0);"),
            StringComparison.Ordinal
        );
        var sequence = string.Join(", ", Enumerable.Range(0, 100).Select(n => $"t += this.Name, u = {n}"));
        Assert.Contains(
            "\"N\":\"200-99\"",
            Patch($"let t = '', u; ({sequence}); this.N = `${{t.length}}-${{(1, u)}}`;"),
            StringComparison.Ordinal
        );
        var parts = string.Concat(Enumerable.Range(0, 20).Select(n => $"${{[{n}]}}${{(0, `<${{this.Name}}>`)}}"));
        Assert.Contains("\"N\":\"0<ab>1<ab>2<ab>", Patch($"this.N = `{parts}`;"), StringComparison.Ordinal);
        var properties = string.Join(
            ", ",
            Enumerable.Range(0, 90).Select(n => $"p{n}: () => {n}, ['q' + {n}]: this.One, ...{{ r{n}: {n} }}")
        );
        Assert.Contains(
            "\"N\":\"89p89one\"",
            Patch(
                $"const one = 'one', o = {{ {properties}, one }}; const {{ r0, one: kept, ...rest }} = o; this.N = o.p89() + o.p89.name + kept + (rest.r0 ?? '');"
            ),
            StringComparison.Ordinal
        );
        var conditions = string.Join(" || ", Enumerable.Range(0, 100).Select(n => $"this.One === {n + 2}"));
        Assert.Contains("\"N\":true", Patch($"this.N = !({conditions});"), StringComparison.Ordinal);
        var chain = string.Join(" + ", Enumerable.Repeat("this.Name", 40));
        Assert.Contains(
            "\"N\":80",
            Patch($"let t = ''; for (let i = 0; i < 1; i++, t += {chain}) ; this.N = t.length;"),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void An_error_keeps_its_column_behind_a_measured_addition()
    {
        var e = Assert.Throws<ScriptRuntimeException>(() =>
            Patch(
                "let a = this.Name + this.Name; a += this.Name; missing.call();\nlet b = this.Name + this.Name + nothing;"
            )
        );
        Assert.Equal((1, 48), (e.Line, e.Column));
    }

    [Fact]
    public async Task A_map_keeps_nothing_between_documents()
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "leak" });
        for (var i = 0; i < 5; i++)
        {
            await database.PutAsync(
                $"a/{i}",
                Encoding.UTF8.GetBytes($$"""{"Secret":"s{{i}}","@metadata":{"@collection":"As"} }""")
            );
        }

        await database.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "I",
                Maps =
                [
                    "const seen = []; function f() { f.n = (f.n || 0) + 1; return f.n; }\nmap('As', a => { seen.push(a.Secret); return { Seen: seen.length, N: f() }; })",
                ],
            }
        );
        var result = await database.QueryAsync(
            new QueryRequest("from index 'I' where Seen = 1 and N = 1")
            {
                Wait = new IndexWait(TimeSpan.FromMinutes(1)),
            }
        );
        Assert.Equal(5, result.Items.Count);
    }

    private static string Patch(string script, ScriptLimits? limits = null)
    {
        var compiled = JavaScriptCompiler.CompilePatch(script);
        Assert.Empty(compiled.Errors);
        var run = new PatchRun(
            ScriptDocument.FromJson("a/1", """{"Name":"ab","One":1,"Large":4000000000}"""),
            default,
            new NoDocuments(),
            DateTimeOffset.UnixEpoch
        )
        {
            Limits = limits ?? Patient,
        };
        return compiled.Script!.Run(run).Changed is { } json ? Encoding.UTF8.GetString(json.Span) : "";
    }

    private sealed class NoDocuments : IPatchDocuments
    {
        public bool TryLoad(string id, out ScriptDocument document)
        {
            document = default;
            return false;
        }

        public string Put(string? id, ReadOnlySpan<byte> json, string? changeVector) => "";

        public bool Delete(string id, string? changeVector) => false;
    }
}
