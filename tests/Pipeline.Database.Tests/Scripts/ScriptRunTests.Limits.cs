using Pipeline.Scripting;
using Xunit;

namespace Pipeline.Database.Tests.Scripts;

/// <content>The limits of a run.</content>
public sealed partial class ScriptRunTests
{
    [Theory]
    [InlineData("while (true) { }", nameof(ScriptLimits.MaxSteps))]
    [InlineData("for (;;) ;", nameof(ScriptLimits.MaxSteps))]
    [InlineData("do { } while (doc.X == 1);", nameof(ScriptLimits.MaxSteps))]
    [InlineData("while (true) try { while (true) { } } catch { }", nameof(ScriptLimits.MaxSteps))]
    [InlineData("try { while (true) { } } catch { }", nameof(ScriptLimits.MaxSteps))]
    [InlineData("var n = Enumerable.Range(0, int.MaxValue).Count(i => i < 0);", nameof(ScriptLimits.MaxSteps))]
    [InlineData("var n = Enumerable.Repeat(1, int.MaxValue).Sum();", nameof(ScriptLimits.MaxSteps))]
    [InlineData(
        "IEnumerable<int> All() { while (true) yield return 1; } send(\"t\", All().Count(x => x > 1));",
        nameof(ScriptLimits.MaxSteps)
    )]
    [InlineData(
        "var l = new List<string>(); while (true) l.Add(new string('x', 10000));",
        nameof(ScriptLimits.MaxAllocatedBytes)
    )]
    [InlineData("while (true) send(\"t\", 1);", nameof(ScriptLimits.MaxMessages))]
    [InlineData("send(\"t\", new string('x', 2000));", nameof(ScriptLimits.MaxBodyBytes))]
    public void A_run_over_a_limit_is_stopped(string source, string limit)
    {
        var limits = new ScriptLimits
        {
            MaxSteps = 200_000,
            MaxAllocatedBytes = 50 << 20,
            MaxMessages = 100,
            MaxBodyBytes = 1500,
        };
        var host = new ScriptHost();
        var e = Assert.Throws<ScriptLimitException>(() =>
            host.Run(ScriptHost.Compile(source), ScriptDocument.FromJson("x/1", """{"X":1}"""), limits)
        );
        Assert.Equal(limit, e.Limit);
        Assert.InRange(e.Line, 0, 1); // 0 where the script caught the exception, which did not help it
    }

    [Fact]
    public void A_run_over_its_time_is_stopped()
    {
        var limits = new ScriptLimits { MaxSteps = long.MaxValue, MaxTime = TimeSpan.FromMilliseconds(20) };
        var e = Assert.Throws<ScriptLimitException>(() =>
            new ScriptHost().Run(ScriptHost.Compile("\nwhile (true) { }"), ScriptDocument.FromJson("x/1", "{}"), limits)
        );
        Assert.Equal((nameof(ScriptLimits.MaxTime), 2), (e.Limit, e.Line));
    }

    [Theory]
    [InlineData("Regex.IsMatch(text, slow);")]
    [InlineData("System.Text.RegularExpressions.Regex.Match(text, slow, RegexOptions.IgnoreCase);")]
    [InlineData("global::System.Text.RegularExpressions.Regex.Replace(text, slow, m => \"\", RegexOptions.None);")]
    [InlineData("Regex.Split(text, slow, RegexOptions.None, Regex.InfiniteMatchTimeout);")]
    [InlineData("Regex.Count(text, slow);")]
    [InlineData("System.Text.RegularExpressions.Regex r = new(slow); r.Replace(text, \"\");")]
    [InlineData("var r = new System.Text.RegularExpressions.Regex(slow, RegexOptions.Compiled); r.IsMatch(doc.Text);")]
    [InlineData("var n = Regex.Matches(\"b\" + text, \"b|(a+)+$\").Count;")]
    [InlineData("var m = Regex.Match(\"b\" + text, \"b|(a+)+$\"); m = m.NextMatch();")]
    [InlineData("try { Regex.IsMatch(text, slow); } catch { } finally { Regex.IsMatch(text, slow); }")]
    [InlineData("Func<string, bool> test = new System.Text.RegularExpressions.Regex(slow).IsMatch; test(text);")]
    [InlineData("new[] { text }.Any(t => System.Text.RegularExpressions.Regex.IsMatch(t, slow));")]
    public void A_regular_expression_ends_with_the_runs_time(string source)
    {
        var limits = new ScriptLimits { MaxTime = TimeSpan.FromMilliseconds(30) };
        var script = ScriptHost.Compile("var slow = \"^(a+)+$\"; var text = new string('a', 60) + \"!\"; " + source);
        var e = Assert.Throws<ScriptLimitException>(() =>
            new ScriptHost().Run(
                script,
                ScriptDocument.FromJson("x/1", $$"""{"Text":"{{new string('a', 60)}}!"}"""),
                limits
            )
        );
        Assert.Equal(nameof(ScriptLimits.MaxTime), e.Limit);
        Assert.Contains("limits.time = 30ms", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_time_that_a_script_gives_a_regular_expression_is_its_own_to_catch() =>
        Assert.Equal(
            "t \"slow\"",
            ScriptHost.Run(
                "try { Regex.IsMatch(new string('a', 60) + \"!\", \"^(a+)+$\", RegexOptions.None, TimeSpan.FromMilliseconds(1)); } catch (RegexMatchTimeoutException) { send(\"t\", \"slow\"); }",
                "{}"
            )
        );

    [Theory]
    [InlineData("static int F(int n) => F(n + 1);", "F(0);")]
    [InlineData("static int F(int n) => G(n) + 1; static int G(int n) => F(n) + 1;", "F(0);")]
    [InlineData("static readonly Func<int, int> F = n => F(n) + 1;", "F(0);")]
    [InlineData("static Func<int, int> F(int n) => m => F(n)(m) + 1;", "F(0)(1);")]
    [InlineData("static int P => P + 1;", "send(\"t\", P);")]
    [InlineData("class C { public int this[int n] => this[n + 1]; }", "send(\"t\", new C()[0]);")]
    [InlineData("class C { C other = new C(); }", "new C();")]
    [InlineData("class C { public static C operator +(C a, C b) => a + b; }", "var c = new C() + new C();")]
    [InlineData("class C { public static implicit operator int(C c) => c; }", "int n = new C();")]
    [InlineData("class C { public override string ToString() => \"\" + this; }", "send(\"t\", \"\" + new C());")]
    [InlineData("class C { public override int GetHashCode() => GetHashCode(); }", "new HashSet<C>().Add(new C());")]
    [InlineData("static IEnumerable<int> F(int n) { foreach (var x in F(n + 1)) yield return x; }", "F(0).Count();")]
    public void A_helper_that_calls_itself_for_ever_fails_the_run_alone(string helper, string source)
    {
        var compiled = ScriptCompiler.Shared.CompileTransform(source, [new ScriptHelper("deep", helper)]);
        if (compiled.Script is not { } script)
        {
            Assert.NotEmpty(compiled.Errors);
            return;
        }

        Assert.ThrowsAny<ScriptRuntimeException>(() =>
            new ScriptHost().Run(
                script,
                ScriptDocument.FromJson("x/1", "{}"),
                new ScriptLimits { MaxTime = TimeSpan.FromMinutes(1) }
            )
        );
    }

    [Fact]
    public void What_a_run_allocated_is_looked_at_when_it_ends()
    {
        var limits = new ScriptLimits { MaxAllocatedBytes = 16 << 20 };
        var e = Assert.Throws<ScriptLimitException>(() =>
            new ScriptHost().Run(
                ScriptHost.Compile("var s = new string('x', 20000000);"),
                ScriptDocument.FromJson("x/1", "{}"),
                limits
            )
        );
        Assert.Equal(nameof(ScriptLimits.MaxAllocatedBytes), e.Limit);
        new ScriptHost().Run(
            ScriptHost.Compile("var s = new string('x', 2000000);"),
            ScriptDocument.FromJson("x/1", "{}"),
            limits
        );
    }

    [Fact]
    public void Endless_recursion_is_an_error_and_not_a_crash()
    {
        foreach (
            var source in new[]
            {
                "int F(int n) => F(n + 1) + 1; F(1);",
                "Func<int, int> f = null; f = n => f(n + 1) + 1; f(1);",
                "int F(int n) { return F(n + 1) + 1; } F(1);",
            }
        )
        {
            var e = Assert.Throws<ScriptRuntimeException>(() => ScriptHost.Run(source, "{}"));
            Assert.Contains("too deeply", e.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_run_is_cancelled()
    {
        using var source = new CancellationTokenSource();
        var script = ScriptHost.Compile("while (true) { }");
        var context = new ScriptContext(new ScriptHost())
        {
            Document = ScriptDocument.FromJson("x/1", "{}"),
            Limits = new ScriptLimits { MaxSteps = long.MaxValue },
        };
        var run = Task.Run(() => script.Run(context, source.Token));
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => run);
    }
}
