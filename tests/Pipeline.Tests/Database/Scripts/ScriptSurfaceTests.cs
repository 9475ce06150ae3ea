using Pipeline.Database.Scripts;
using Xunit;

namespace Pipeline.Tests.Database.Scripts;

/// <summary>A script in C# read and wrote any memory through <c>System.Numerics</c>, looped for ever by <c>goto case</c>, and ended the process through functions that were not counted.</summary>
public sealed class ScriptSurfaceTests
{
    [Theory]
    [InlineData("var m = new byte[1]; var v = System.Numerics.Vector.LoadUnsafe(ref m[0], (nuint)100000); send(\"t\", 1);")]
    [InlineData("var m = new byte[1]; System.Numerics.Vector.StoreUnsafe(default(System.Numerics.Vector<byte>), ref m[0], (nuint)100000);")]
    [InlineData("send(\"t\", System.Numerics.BigInteger.Pow(10, 1000000000) > 1);")]
    [InlineData("send(\"t\", string.Intern(id));")]
    [InlineData("send(\"t\", string.Create(5, 1, (s, n) => { }));")]
    [InlineData("CultureInfo.DefaultThreadCurrentCulture = null;")]
    [InlineData("CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;")]
    [InlineData("Encoding.RegisterProvider(null!);")]
    [InlineData("TimeZoneInfo.ClearCachedData();")]
    [InlineData("var h = System.Security.Cryptography.SHA256.Create(\"System.Object\");")]
    [InlineData("var a = new int[1]; Array.Resize(ref a, 5);")]
    public void What_reaches_beyond_the_run_is_refused(string source)
    {
        var compiled = ScriptCompiler.Shared.CompileTransform(source);
        Assert.Contains(compiled.Errors, e => e.Code == "SCRIPT002" && e.Message.Contains("may not be used in a script", StringComparison.Ordinal));
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
    public void Every_function_looks_at_the_stack(string source) => Assert.Contains("too deeply", Assert.Throws<ScriptRuntimeException>(() => Run(source)).Message, StringComparison.Ordinal);

    private static void Run(string source)
    {
        const string Helper = """
            public sealed class V
            {
                public static V operator +(V a, V b) => a + b;
                public static explicit operator int(V v) => (int)v;
                public int this[int i] => this[i + 1];
                public static IEnumerable<int> Each(int n) { foreach (var x in Each(n + 1)) yield return x; }
            }
            public sealed class W { public W() => Make(); static void Make() => new W(); }
            """;
        var compiled = ScriptCompiler.Shared.CompileTransform(source, [new ScriptHelper("h", Helper)]);
        Assert.Empty(compiled.Errors);
        compiled.Script!.Run(new ScriptContext(new Nowhere(), limits: new ScriptLimits { MaxSteps = 1_000_000 }) { Document = ScriptDocument.FromJson("a/1", "{}") });
    }

    private sealed class Nowhere : IScriptOutput
    {
        public void Send(in ScriptMessage message)
        {
        }
    }
}
