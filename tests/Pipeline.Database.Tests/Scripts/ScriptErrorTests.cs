using Pipeline.Scripting;
using Xunit;

namespace Pipeline.Database.Tests.Scripts;

/// <summary>
/// Scripts that do not compile: every error is at its place in the user's text, even after rewritten code.
/// </summary>
public sealed class ScriptErrorTests
{
    [Theory]
    [InlineData("sned(\"t\", doc);", "1:1 CS0103 did you mean 'send'?")]
    [InlineData("var x = doc.A.B.C;\n  sned(\"t\", new { doc.Name, x });", "2:3 CS0103 did you mean 'send'?")]
    [InlineData("send(\"t\", new { doc.A, doc.B, totl = doc.C + tota1 }); var total = 1;", "1:46 CS0103")]
    [InlineData("send(\"t\", doc.Lines.Summ(l => l.A));", "1:21 CS1061 did you mean 'Sum'?")]
    [InlineData("send(\"t\", doc.Name.ToUper());", "1:20 CS1061 did you mean 'ToUpper'?")]
    [InlineData("send(\"t\", Math.Roud(doc.X));", "1:16 CS0117 did you mean 'Round'?")]
    [InlineData("var a = doc.X\nsend(\"t\", a);", "1:14 CS1002")]
    [InlineData("if (doc.X > 1 { send(\"t\", 1); }", "1:15 CS1026")]
    [InlineData("int n = \"x\";", "1:9 CS0029")]
    [InlineData("foreach (var l in doc.Lines) { send(\"t\", l.A, kee: l.B); }", "1:47 CS1739")]
    [InlineData(
        "send(\"t\", lod(doc.Company).Name); \nsend(doc.X, dco.Y);",
        "1:11 CS0103 did you mean 'load'?|2:13 CS0103 did you mean 'doc'?"
    )]
    [InlineData("undefined1(); undefined2();\n\n   undefined3();", "1:1 CS0103|1:15 CS0103|3:4 CS0103")]
    [InlineData("doc.Name = \"x\";", "1:1 SCRIPT003 send a new object, or doc.With(new { … }) for a copy with changes")]
    [InlineData(
        "var l = doc.Lines[0]; l.Quantity++;",
        "1:23 SCRIPT003 send a new object, or doc.With(new { … }) for a copy with changes"
    )]
    [InlineData("return doc;", "1:1 CS0127")]
    [InlineData("} void Other() {", "1:1 CS1022 remove it, or add the '{' that is missing")]
    [InlineData("send(\"t\", 1); }", "1:15 CS1022 remove it, or add the '{' that is missing")]
    [InlineData("var s = \"abc;", "1:9 CS1010")]
    [InlineData("var a = doc.X\r\nvar b = 1;\r\nfoo();", "1:14 CS1002|3:1 CS0103")]
    [InlineData("send(\"t\", doc.Lines.Select(l => new { l.A, B = l.B + nope }));", "1:54 CS0103")]
    [InlineData("var t = doc.Lines.Where(l => l.A > 1).Select(l => l.B).Foo();", "1:56 CS1061")]
    public void Every_error_has_its_place(string source, string expected)
    {
        var result = ScriptCompiler.Shared.CompileTransform(source);
        Assert.False(result.Succeeded);
        var actual = result
            .Errors.Select(e => $"{e.Line}:{e.Column} {e.Code}{(e.Suggestion is null ? "" : " " + e.Suggestion)}")
            .ToList();
        foreach (var (want, index) in expected.Split('|').Select((w, i) => (w, i)))
        {
            Assert.True(
                index < actual.Count
                    && (actual[index] == want || actual[index].StartsWith(want + " ", StringComparison.Ordinal)),
                $"{want} is not error {index} of\n{string.Join("\n", result.Errors)}"
            );
        }
    }

    [Theory]
    [InlineData("System.IO.File.Delete(\"x\");", "System.IO.File", 1, 11)]
    [InlineData("var x = 1;\nvar e = Environment.GetEnvironmentVariable(\"PATH\");", "System.Environment", 2, 9)]
    [InlineData("System.Diagnostics.Process.Start(\"sh\");", "Process", 1, 1)]
    [InlineData("var t = doc.GetType();", "System.Object.GetType", 1, 13)]
    [InlineData("var t = \"\".GetType().Assembly;", "System.Object.GetType", 1, 12)]
    [InlineData("var t = typeof(string).Assembly;", "'typeof'", 1, 9)]
    [InlineData("new System.Threading.Thread(() => { }).Start();", "System.Threading.Thread", 1, 22)]
    [InlineData("System.Threading.Tasks.Task.Run(() => 1);", "System.Threading.Tasks.Task", 1, 24)]
    [InlineData("var c = new System.Net.Http.HttpClient();", "System.Net.Http", 1, 1)]
    [InlineData("Console.WriteLine(doc.X);", "Console", 1, 1)]
    [InlineData("var r = new Random().Next();", "System.Random", 1, 13)]
    [InlineData("Activator.CreateInstance<object>();", "System.Activator", 1, 1)]
    [InlineData("System.GC.Collect();", "System.GC", 1, 8)]
    [InlineData("unsafe { int x = 1; int* p = &x; }", "unsafe", 1, 1)]
    [InlineData("again: goto again;", "'goto'", 1, 8)]
    [InlineData("lock (doc) { }", "'lock'", 1, 1)]
    [InlineData("AppDomain.CurrentDomain.GetAssemblies();", "System.AppDomain", 1, 1)]
    [InlineData("Func<int> f = () => 1; var m = f.Method;", "System.Delegate", 1, 34)]
    [InlineData("doc.Lines.AsParallel();", "AsParallel", 1, 11)]
    [InlineData(
        "Pipeline.Scripting.ScriptCompiler.Shared.CompileTransform(\"\");",
        "Pipeline.Scripting.ScriptCompiler",
        1,
        20
    )]
    [InlineData(
        "System.Runtime.InteropServices.Marshal.AllocHGlobal(1);",
        "System.Runtime.InteropServices.Marshal",
        1,
        32
    )]
    [InlineData(
        "try { } catch (Exception e) { send(\"t\", e.TargetSite.Name); }",
        "System.Exception.TargetSite",
        1,
        43
    )]
    [InlineData("System.Linq.Expressions.Expression<Func<int>> x = () => 1;", "System.Linq.Expressions", 1, 1)]
    public void What_a_script_may_not_use_is_named(string source, string named, int line, int column)
    {
        var result = ScriptCompiler.Shared.CompileTransform(source);
        Assert.False(result.Succeeded, "compiled");
        var error = result.Errors.FirstOrDefault(e => e.Code == "SCRIPT002") ?? result.Errors[0];
        Assert.True(
            result.Errors.Any(e => e.Message.Contains(named, StringComparison.Ordinal))
                || error.Message.Contains(named.Split('.')[^1], StringComparison.Ordinal),
            string.Join("\n", result.Errors)
        );
        Assert.Equal(line, error.Line);
        if (column > 1)
            Assert.Equal(column, error.Column);
    }

    [Theory]
    [InlineData("send(\"t\", Environment.NewLine);")]
    [InlineData("send(\"t\", System.DateTime.UnixEpoch);")]
    [InlineData("send(\"t\", System.Security.Cryptography.SHA256.HashData(Encoding.UTF8.GetBytes(doc.X ?? \"\")));")]
    [InlineData("send(\"t\", System.Net.WebUtility.HtmlEncode(doc.X));")]
    [InlineData("send(\"t\", CultureInfo.InvariantCulture.Name);")]
    [InlineData("var x = new { A = 1 }; send(\"t\", x.A); (int a, int b) p = (1, 2); send(\"t\", p.a);")]
    public void What_is_harmless_is_allowed(string source) =>
        Assert.Empty(ScriptCompiler.Shared.CompileTransform(source).Errors);

    [Fact]
    public void Errors_of_helpers_name_the_helper()
    {
        var result = ScriptCompiler.Shared.CompileTransform(
            "send(\"t\", Net(doc));",
            [
                new ScriptHelper("money", "decimal Net(dynamic l)\n{\n    return l.Price * rate;\n}"),
                new ScriptHelper("state", "int count;"),
            ]
        );
        Assert.Contains(result.Errors, e => e is { Source: "money", Line: 3, Column: 22, Code: "CS0103" });
        Assert.Contains(result.Errors, e => e is { Source: "state", Line: 1, Column: 1, Code: "SCRIPT004" });
    }

    [Fact]
    public void An_error_prints_as_line_and_column()
    {
        var error = ScriptCompiler.Shared.CompileTransform("\n sned(1);").Errors[0];
        Assert.Equal(
            "2:2: CS0103: The name 'sned' does not exist in the current context, did you mean 'send'?",
            error.ToString()
        );
        Assert.Equal((2, 6), (error.EndLine, error.EndColumn));
    }

    [Theory]
    [InlineData("(", ")", 20_000, true)]
    [InlineData("new[] {", "}", 250, true)]
    [InlineData("(", ")", 190, false)]
    [InlineData("Math.Max(1, ", ")", 150, false)]
    [InlineData("!", "", 50_000, true)]
    [InlineData("1 + ", "", 50_000, true)]
    [InlineData("1 + ", "", 800, false)]
    [InlineData("$\"{", "}\"", 20_000, true)]
    public void What_is_nested_too_deeply_is_refused_at_its_place(string open, string close, int times, bool isError)
    {
        var source =
            "var a = 1;\nsend(\"t\", "
            + string.Concat(Enumerable.Repeat(open, times))
            + "1"
            + string.Concat(Enumerable.Repeat(close, times))
            + ");";
        var errors = ScriptCompiler.Shared.CompileTransform(source).Errors;
        if (!isError)
        {
            Assert.Empty(errors);
            return;
        }

        var error = Assert.Single(errors);
        Assert.Equal(2, error.Line);
        if (open is "(")
            Assert.Equal(("SCRIPT005", 210), (error.Code, error.Column));
    }

    [Fact]
    public void Brackets_in_texts_and_comments_nest_nothing() =>
        Assert.Empty(
            ScriptCompiler
                .Shared.CompileTransform(
                    string.Concat(Enumerable.Repeat("// ((((\nsend(\"t\", \"((\" + '{' + @\"[[\" + $\"{1}((\");\n", 60))
                )
                .Errors
        );

    [Fact]
    public void Too_long_a_script_is_refused()
    {
        var error = Assert.Single(ScriptCompiler.Shared.CompileTransform(new string(' ', 300_000)).Errors);
        Assert.Equal("SCRIPT001", error.Code);
    }
}
