using System.Diagnostics;
using System.Text;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Scripts;
using Pipeline.Database.Scripts.JavaScript;
using Xunit;

namespace Pipeline.Tests.JavaScript;

/// <summary>
/// A client's patch wrote for minutes: time and memory were looked at only between statements, so one call of a built-in function or one multiplication held the writer.
/// What ends the process is in Pipeline.CrashTests.
/// </summary>
public sealed class JavaScriptBoundsTests
{
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
    public void A_text_does_not_grow_beyond_its_share_of_the_allocations(string script)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        var watch = Stopwatch.StartNew();
        Assert.Equal("MaxAllocatedBytes", Assert.Throws<ScriptLimitException>(() => Patch(script)).Limit);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 768L << 20);
        Assert.InRange(watch.Elapsed, TimeSpan.Zero, TimeSpan.FromSeconds(30));
    }

    [Theory]
    [InlineData("this.N = Array(4000000).fill(1).length;", "larger than maximum allowed (1048576)")]
    [InlineData("this.N = Object.keys('x'.repeat(100000)).length;", "65536")]
    [InlineData("""this.N = 'a'.concat('\u0301\u0327'.repeat(100000)).normalize().length;""", "combining marks")]
    [InlineData("this.N = 'ab'.repeat(20000).replace(/(?=(.*))/g, '$1').length;", "looks around")]
    [InlineData("this.N = new Uint8Array(1000000000).length;", "Uint8Array is not defined")]
    [InlineData("this.N = BigInt(1);", "BigInt is not defined")]
    [InlineData("this.N = new Proxy({}, {});", "Proxy is not defined")]
    [InlineData("this.N = Promise.resolve();", "Promise is not defined")]
    public void What_cannot_be_bounded_is_refused(string script, string expected) =>
        Assert.Contains(expected, Assert.ThrowsAny<ScriptRuntimeException>(() => Patch(script)).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("var a = 1;\nvar b = 3n;", 2, 9, "BigInt may not be used")]
    [InlineData("async function f() { }", 1, 1, "asynchronous functions may not be used")]
    [InlineData("const f = function* () { };", 1, 11, "generator functions may not be used")]
    [InlineData("import('fs');", 1, 1, "modules may not be used")]
    [InlineData("pipeline$measure = 1;", 1, 1, "reserved")]
    public void Syntax_that_cannot_be_bounded_is_refused_with_its_place(string script, int line, int column, string expected)
    {
        ScriptError error = Assert.Single(JavaScriptCompiler.CompilePatch(script).Errors);
        Assert.Equal((line, column), (error.Line, error.Column));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("this.A = 'x'; Object.defineProperty(this, 'B', { enumerable: true, get() { for (;;) { } } });")]
    [InlineData("throw { get name() { for (;;) { } } };")]
    [InlineData("try { for (;;) { } } finally { for (;;) { } }")]
    public void What_runs_after_the_script_is_part_of_its_run(string script) => Assert.Equal("MaxSteps", Assert.Throws<ScriptLimitException>(() => Patch(script)).Limit);

    [Theory]
    [InlineData("let s = ''; for (let i = 0; i < 3; i++) s += this.Name + i + this.Name; this.N = s;", "ab0abab1abab2ab")]
    [InlineData("let n = 1; n += this.One; this.N = n + this.One + 'x' + this.Name;", "3xab")]
    [InlineData("this.N = (this.Name + this.Name) + (this.Name + this.Name);", "abababab")]
    [InlineData("var u; u += this.Name; this.N = u;", "undefinedab")]
    [InlineData("""this.N = 'x-y-z'.repeat(100).replace(/(-)(?<l>y)/g, '[$1$2$<l>$&$$]').slice(0, 18);""", "x[-yy-y$]-zx[-yy-y")]
    [InlineData("""this.N = 'ab'.repeat(3000).replace(/(a)(?<l>b)/g, "[$2$1$<l>$&$$$3$01]").slice(0, 24);""", "[babab$$3a][babab$$3a][b")]
    [InlineData("""this.N = 'ab'.repeat(3000).replaceAll('a', "$&$&").slice(0, 6);""", "aabaab")]
    [InlineData("this.N = [1, [2, [3]]].flat(Infinity).join('-') + [3, 1, 2].sort((a, b) => a - b);", "1-2-31,2,3")]
    public void Texts_are_joined_as_ever(string script, string expected) => Assert.Contains($"\"N\":\"{expected}\"", Patch(script), StringComparison.Ordinal);

    [Fact]
    public void An_error_keeps_its_column_behind_a_measured_addition()
    {
        var e = Assert.Throws<ScriptRuntimeException>(() => Patch("let a = this.Name + this.Name; a += this.Name; missing.call();\nlet b = this.Name + this.Name + nothing;"));
        Assert.Equal((1, 48), (e.Line, e.Column));
    }

    [Fact]
    public async Task A_map_keeps_nothing_between_documents()
    {
        await using DocumentDatabase database = DocumentDatabase.Open(new DatabaseOptions { Name = "leak" });
        for (int i = 0; i < 5; i++) await database.PutAsync($"a/{i}", Encoding.UTF8.GetBytes($$"""{"Secret":"s{{i}}","@metadata":{"@collection":"As"} }"""));
        await database.Indexes.PutAsync(new IndexDefinition { Name = "I", Maps = ["const seen = []; function f() { f.n = (f.n || 0) + 1; return f.n; }\nmap('As', a => { seen.push(a.Secret); return { Seen: seen.length, N: f() }; })"] });
        var result = await database.QueryAsync(new QueryRequest("from index 'I' where Seen = 1 and N = 1") { Wait = new IndexWait(TimeSpan.FromMinutes(1)) });
        Assert.Equal(5, result.Items.Count);
    }

    private static string Patch(string script)
    {
        ScriptCompilation<PatchScript> compiled = JavaScriptCompiler.CompilePatch(script);
        Assert.Empty(compiled.Errors);
        var run = new PatchRun(ScriptDocument.FromJson("a/1", """{"Name":"ab","One":1}"""), default, new NoDocuments(), DateTimeOffset.UnixEpoch);
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
