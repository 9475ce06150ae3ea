using Pipeline.Scripting;
using Xunit;

namespace Pipeline.Database.Tests.Scripts;

/// <summary>
/// Scripts in C# must not access memory through <c>System.Numerics</c>, loop forever by <c>goto case</c>, or end the
/// process through functions that are not counted.
/// </summary>
public sealed class ScriptSurfaceTests
{
    [Theory]
    [InlineData(
        "var m = new byte[1]; var v = System.Numerics.Vector.LoadUnsafe(ref m[0], (nuint)100000); send(\"t\", 1);"
    )]
    [InlineData(
        "var m = new byte[1]; System.Numerics.Vector.StoreUnsafe(default(System.Numerics.Vector<byte>), ref m[0], (nuint)100000);"
    )]
    [InlineData("send(\"t\", System.Numerics.BigInteger.Pow(10, 1000000000) > 1);")]
    [InlineData("send(\"t\", string.Intern(id));")]
    [InlineData("send(\"t\", string.Create(5, 1, (s, n) => { }));")]
    [InlineData("CultureInfo.DefaultThreadCurrentCulture = null;")]
    [InlineData("CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;")]
    [InlineData("Encoding.RegisterProvider(null!);")]
    [InlineData("TimeZoneInfo.ClearCachedData();")]
    [InlineData("var h = System.Security.Cryptography.SHA256.Create(\"System.Object\");")]
    [InlineData("var a = new int[1]; Array.Resize(ref a, 5);")]
    [InlineData("Func<int, int> f = n => n; Func<int, int> g = f.Invoke;")]
    [InlineData("Func<int, int> f = n => n; var g = new Func<int, int>(f);")]
    [InlineData("Action a = () => { }; a += a;")]
    [InlineData("Func<int, string> f = id.PadLeft;")]
    [InlineData("Func<string, string[], string> f = string.Join;")]
    [InlineData("Func<IEnumerable<int>, IEnumerable<int>> f = Enumerable.Reverse;")]
    [InlineData("throw new InvalidOperationException(\"a\", new FormatException());")]
    [InlineData("var s = new ReadOnlySpan<char>(); var t = s.GetPinnableReference();")]
    [InlineData("var l = new System.Collections.ObjectModel.ReadOnlyCollection<int>(new List<int>());")]
    [InlineData("FormattableString f = $\"{id}\";")]
    [InlineData("Span<int> s = stackalloc int[1];")]
    [InlineData("var n = id.Length; var a = new int[n, 1000000];")]
    [InlineData("var o = new[] { 1 }.OrderBy(x => x); for (var i = 0; i < 10; i++) o = o.ThenBy(x => x);")]
    public void What_reaches_beyond_the_run_is_refused(string source)
    {
        var compiled = ScriptCompiler.Shared.CompileTransform(source);
        Assert.Contains(compiled.Errors, e => e.Code == "SCRIPT002");
    }

    [Theory]
    [InlineData("var n = 1; switch (n) { case 1: goto case 2; case 2: goto case 1; }")]
    [InlineData("var n = 1; switch (n) { case 1: if (n == 1) goto default; break; default: goto case 1; }")]
    public void A_jump_between_cases_is_counted(string source)
    {
        var e = Assert.Throws<ScriptLimitException>(() => Run(source));
        Assert.Equal(nameof(ScriptLimits.MaxSteps), e.Limit);
    }

    [Theory]
    [InlineData("var list = new List<Func<int, int>>(); list.Add(n => list[0](n + 1)); list[0](0);")]
    [InlineData("var list = new List<Func<int, int>>(); list.Add(n => { return list[0](n + 1) + 1; }); list[0](0);")]
    [InlineData("_ = new V() + new V();")]
    [InlineData("_ = (int)new V();")]
    [InlineData("_ = new V()[1];")]
    [InlineData("_ = new W();")]
    [InlineData("foreach (var x in V.Each(1)) { }")]
    public void Every_function_looks_at_the_stack(string source) =>
        Assert.Contains(
            "too deeply",
            Assert.Throws<ScriptRuntimeException>(() => Run(source)).Message,
            StringComparison.Ordinal
        );

    /// <summary>Each took gigabytes in one call, before any step of the script could look.</summary>
    /// <remarks>
    /// A list that grows is as large as the limit at the last look, and then takes as much once more.
    /// Whether that look comes just before or just after the limit depends on what the class library's pool holds.
    /// </remarks>
    [Theory]
    [InlineData("send(\"t\", new string('a', int.MaxValue / 2).Length);")]
    [InlineData("send(\"t\", id.PadLeft(1000000000).Length);")]
    [InlineData("send(\"t\", id.PadRight(totalWidth: 1000000000).Length);")]
    [InlineData("send(\"t\", doc.A.PadRight(1000000000).ToText().Length);")]
    [InlineData("var n = 2000000000; send(\"t\", new byte[n].Length);")]
    [InlineData("var n = 400000000L; send(\"t\", new long[n].Length);")]
    [InlineData("var n = 100000000; send(\"t\", new List<int>(n).Count);")]
    [InlineData("var n = 100000000; send(\"t\", new Dictionary<string, string>(n).Count);")]
    [InlineData("send(\"t\", new StringBuilder(1000000000).Length);")]
    [InlineData("var b = new StringBuilder(); b.Append('a', 1000000000); send(\"t\", b.Length);")]
    [InlineData("var b = new StringBuilder(); b.Length = 1000000000; send(\"t\", b.Length);")]
    [InlineData("var b = new StringBuilder(); b.EnsureCapacity(1000000000); send(\"t\", b.Length);")]
    [InlineData("send(\"t\", Enumerable.Repeat(id, 100000000).ToArray().Length);")]
    [InlineData("send(\"t\", Enumerable.Range(0, 1000000000).ToList().Count);")]
    [InlineData("var s = new string('a', 1000000); send(\"t\", s.Replace(\"a\", s).Length);")]
    [InlineData(
        "var b = new StringBuilder(new string('a', 1000000)); b.Replace(\"a\", b.ToString()); send(\"t\", b.Length);"
    )]
    [InlineData("var s = new string('a', 1000000); send(\"t\", string.Join(s, Enumerable.Repeat(s, 1000)).Length);")]
    [InlineData("var s = new string('a', 1000000); send(\"t\", string.Join(s, new string[1000]).Length);")]
    [InlineData("var s = new string('a', 1000000); send(\"t\", string.Concat(Enumerable.Repeat(s, 1000)).Length);")]
    [InlineData(
        "var s = new string('a', 1000000); var f = new StringBuilder().Insert(0, \"{0}\").ToString(); for (var i = 0; i < 10; i++) f += f; send(\"t\", string.Format(f, s).Length);"
    )]
    [InlineData(
        "var s = new string('a', 20000000); send(\"t\", (s + s + s + s + s + s + s + s + s + s + s + s + s + s + s).Length);"
    )]
    [InlineData(
        "var s = new string('a', 20000000); send(\"t\", $\"{s}{s}{s}{s}{s}{s}{s}{s}{s}{s}{s}{s}{s}{s}\".Length);"
    )]
    [InlineData("var s = new string('a', 20000000); s += s; s += s; s += s; s += s; s += s; send(\"t\", s.Length);")]
    [InlineData("var s = new string('a', 1000000); send(\"t\", Regex.Replace(s, \"a\", s).Length);")]
    [InlineData(
        "var l = new List<int>(Enumerable.Range(0, 1000000)); for (var i = 0; i < 8; i++) l.AddRange(l); send(\"t\", l.Count);"
    )]
    [InlineData(
        "var l = new int[1000000]; int[] m = [..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l, ..l]; send(\"t\", m.Length);"
    )]
    public void A_call_is_measured_before_it_takes_memory(string source)
    {
        var script = Compile(source); // a process's first compilation takes some 100 MiB
        var before = GC.GetAllocatedBytesForCurrentThread();
        var e = Assert.ThrowsAny<ScriptLimitException>(() =>
            Run(script, new ScriptLimits { MaxAllocatedBytes = 128 << 20, MaxTime = TimeSpan.FromMinutes(1) })
        );
        Assert.Equal(nameof(ScriptLimits.MaxAllocatedBytes), e.Limit);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, (2 * 128 + 16) << 20);
    }

    [Theory]
    [InlineData("send(\"t\", string.Format(\"{0,2000000000}\", id));", "width")]
    [InlineData("send(\"t\", string.Format(\"{0,-2000000000}\", id));", "width")]
    [InlineData("send(\"t\", new StringBuilder().AppendFormat(\"{0,2000000000}\", id).Length);", "width")]
    [InlineData("send(\"t\", $\"{id,2000000000}\");", "width")]
    [InlineData("send(\"t\", FormattableString.Invariant($\"{id,2000000000}\"));", "width")]
    [InlineData("send(\"t\", $\"{5:D999999999}\");", "digits")]
    [InlineData("send(\"t\", string.Format(\"{0:N999999999}\", 5));", "digits")]
    [InlineData("send(\"t\", 5.ToString(\"D999999999\"));", "digits")]
    [InlineData("send(\"t\", 5.5m.ToString(\"F999999999\", CultureInfo.InvariantCulture));", "digits")]
    [InlineData("send(\"t\", 5.5.ToString(\"N999999999\"));", "digits")]
    [InlineData("send(\"t\", doc.N.ToString(\"D999999999\"));", "digits")]
    public void A_format_is_read_before_it_is_used(string source, string what) =>
        Assert.Contains(
            what,
            Assert.Throws<ScriptRuntimeException>(() => Run(source)).Message,
            StringComparison.Ordinal
        );

    /// <summary>
    /// None of the calls is a function of the script: the class library or what the compiler writes recurses.
    /// </summary>
    [Theory]
    [InlineData(
        "IEnumerable<int> s = new[] { 1 }; for (var i = 0; i < 300000; i++) s = s.Concat(new[] { 1 }); send(\"t\", s.Count());"
    )]
    [InlineData(
        "IEnumerable<int> s = new[] { 1 }; for (var i = 0; i < 300000; i++) s = s.Append(1); send(\"t\", s.Skip(1).Count());"
    )]
    [InlineData(
        "IEnumerable<int> s = new[] { 1 }; for (var i = 0; i < 300000; i++) s = s.Skip(0).Take(5); foreach (var x in s) { }"
    )]
    [InlineData(
        "IEnumerable<int> s = new[] { 1 }; for (var i = 0; i < 300000; i++) s = s.Where(x => true); foreach (var x in s) { }"
    )]
    [InlineData(
        "IEnumerable<int> s = new[] { 1 }; for (var i = 0; i < 300000; i++) s = from x in s select x + 1; send(\"t\", s.Sum());"
    )]
    [InlineData(
        "IEnumerable<int> s = new[] { 1 }; for (var i = 0; i < 300000; i++) s = s.OrderBy(x => x); send(\"t\", s.First());"
    )]
    [InlineData("R r = null; for (var i = 0; i < 300000; i++) r = new R(r); send(\"t\", r.GetHashCode());")]
    [InlineData(
        "R r = null, q = null; for (var i = 0; i < 300000; i++) { r = new R(r); q = new R(q); } send(\"t\", r == q);"
    )]
    [InlineData("R r = null; for (var i = 0; i < 300000; i++) r = new R(r); send(\"t\", r.ToString().Length);")]
    [InlineData("_ = new F();")]
    [InlineData("_ = new P();")]
    public void A_chain_that_a_script_builds_ends_before_the_stack(string source) =>
        Assert.True(
            Record.Exception(() =>
                Run(
                    Compile(source),
                    new ScriptLimits { MaxTime = TimeSpan.FromMinutes(1), MaxAllocatedBytes = 2L << 30 }
                )
            )
                is null
                    or ScriptRuntimeException
        );

    [Theory]
    [InlineData("object o = 1; for (var i = 0; i < 300000; i++) o = new { o }; send(\"t\", o.GetHashCode());")]
    [InlineData("object o = 1; for (var i = 0; i < 300000; i++) o = (o, 1); send(\"t\", o.GetHashCode());")]
    [InlineData("object o = 1; for (var i = 0; i < 300000; i++) o = Tuple.Create(o, 1); send(\"t\", o.ToString());")]
    [InlineData(
        "object o = 1; for (var i = 0; i < 300000; i++) o = new KeyValuePair<object, int>(o, 1); send(\"t\", o.ToString());"
    )]
    public void An_object_that_holds_anything_holds_no_other_one(string source) =>
        Assert.Contains(
            "declare a class for it",
            Assert.Throws<ScriptRuntimeException>(() => Run(source)).Message,
            StringComparison.Ordinal
        );

    /// <summary>What people write stays as it was.</summary>
    [Theory]
    [InlineData(
        "send(\"t\", $\"{id,8}|{doc.N:D4}|{1.5:F2}\" + string.Join(\", \", new[] { 1, 2 }) + string.Format(\"{0:N1}{{}}{1,-3}|\", 1.25, \"x\") + \"aXa\".Replace(\"X\", \"yy\") + string.Concat(\"a\", id));",
        "\"     a/1|0007|1.501, 21.2{}x  |ayyaaa/1\""
    )]
    [InlineData(
        "var s = \"\"; foreach (var x in new[] { 1, 2 }) s += x; s += 'c'; s += \"d\" + doc.N; send(\"t\", s);",
        "\"12cd7\""
    )]
    [InlineData(
        "var b = new StringBuilder(16).AppendFormat(\"{0:D2}\", 5).AppendJoin(',', new[] { \"a\", \"b\" }).Append('-', 2).Append($\"{id}\").Replace(\"a\", \"A\"); b.Length -= 1; send(\"t\", b.ToString());",
        "\"05A,b--A/\""
    )]
    [InlineData(
        "IEnumerable<int> q = new List<int> { 3, 1, 2 }; var r = q.Where(x => x > 1); send(\"t\", r.OrderBy(x => x).ThenBy(x => -x).Select(x => new { x, y = (object)\"z\" }).ToList());",
        "[{\"x\":2,\"y\":\"z\"},{\"x\":3,\"y\":\"z\"}]"
    )]
    [InlineData(
        "var r = new R(new R(null)); send(\"t\", new { same = r == new R(new R(null)), text = r.ToString(), s = new S(1, \"a\") == new S(1, \"a\"), c = new G().X });",
        "{\"same\":true,\"text\":\"R { Next = R { Next = , N = 0 }, N = 0 }\",\"s\":true,\"c\":[1]}"
    )]
    [InlineData(
        "object o = 1; var t = (o, n: o); send(\"t\", new { o, sum = t.o.Equals(t.n) });",
        "{\"o\":1,\"sum\":true}"
    )]
    [InlineData(
        "var a = (1, \"x\"); var d = new Dictionary<(int, string), object>(4) { [a] = 1 }; send(\"t\", new { v = d[(1, \"x\")], i = FormattableString.Invariant($\"{1.5:F1}\"), z = new int[id.Length].Length });",
        "{\"v\":1,\"i\":\"1.5\",\"z\":3}"
    )]
    public void Ordinary_scripts_run_unchanged(string source, string expected) => Assert.Equal(expected, Run(source));

    private static string Run(string source) => Run(Compile(source), new ScriptLimits { MaxSteps = 1_000_000 });

    private static string Run(TransformScript script, ScriptLimits limits)
    {
        var sent = new Sent();
        script.Run(
            new ScriptContext(sent, limits: limits) { Document = ScriptDocument.FromJson("a/1", """{"A":"a","N":7}""") }
        );
        return sent.Body;
    }

    private static TransformScript Compile(string source)
    {
        const string Helper = """
            public sealed class V
            {
                public static V operator +(V a, V b) => a + b;
                public static explicit operator int(V v) => (int)v;
                public int this[int i] => this[i + 1];
                public static IEnumerable<int> Each(int n) { foreach (var x in Each(n + 1)) yield return x; }
            }
            public record R(R Next, int N = 0);
            public readonly record struct S(int A, string B);
            public sealed class F { F other = new(); }
            public sealed class P { P Other { get; } = new P(); }
            public sealed class G { public List<int> X { get; } = new() { 1 }; }
            public sealed class W { public W() => Make(); static void Make() => new W(); }
            """;
        var compiled = ScriptCompiler.Shared.CompileTransform(source, [new ScriptHelper("h", Helper)]);
        Assert.Empty(compiled.Errors);
        return compiled.Script!;
    }

    private sealed class Sent : IScriptOutput
    {
        public string Body { get; private set; } = "";

        public void Send(in ScriptMessage message) => Body = System.Text.Encoding.UTF8.GetString(message.Body);
    }
}
