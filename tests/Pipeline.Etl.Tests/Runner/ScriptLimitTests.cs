using System.Text.Json;
using Pipeline.Etl.Runner;
using Xunit;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>
/// Transforms that loop forever, allocate without bound or throw: the limits hold, and the other documents and tasks
/// continue.
/// </summary>
public sealed class ScriptLimitTests
{
    private const string Send = "\nsend(\"out\", new { doc.N });";

    [Theory]
    [InlineData(
        "if (doc.N % 10 == 0) while (true) { }",
        "limits: { time: 50ms, steps: 1000000000000 }",
        "limits.time = 50ms."
    )]
    [InlineData(
        "if (doc.N % 10 == 0) while (true) { }",
        "limits: { steps: 20000, time: 10m }",
        "limits.steps = 20000."
    )]
    [InlineData(
        "if (doc.N % 10 == 0) { var all = new List<string>(); while (true) all.Add(new string('x', 10000)); }",
        "limits: { allocatedBytes: 8MiB, time: 10m }",
        "limits.allocatedBytes = 8MiB."
    )]
    [InlineData(
        "if (doc.N % 10 == 0) while (true) send(\"out\", new { doc.N });",
        "limits: { messages: 5 }",
        "limits.messages = 5."
    )]
    [InlineData(
        "if (doc.N % 10 == 0) send(\"out\", new string('x', 3000));",
        "limits: { bodyBytes: 1KiB }",
        "limits.bodyBytes = 1KiB."
    )]
    [InlineData(
        "if (doc.N % 10 == 0) { try { while (true) { } } catch (Exception e) { if (e.Message == \"\") return; } while (true) { } }",
        "limits: { steps: 20000, time: 10m }",
        "limits.steps = 20000."
    )]
    [InlineData(
        "if (doc.N % 10 == 0) { var all = new string('x', 20000000); if (all.Length == 0) return; }",
        "limits: { allocatedBytes: 16MiB, time: 10m }",
        "limits.allocatedBytes = 16MiB."
    )]
    [InlineData(
        "if (doc.N % 10 == 0 && System.Text.RegularExpressions.Regex.IsMatch(new string('a', 60) + \"!\", \"^(a+)+$\")) return;",
        "limits: { time: 200ms }",
        "limits.time = 200ms."
    )]
    [InlineData(
        "var slow = new System.Text.RegularExpressions.Regex(\"^(a+)+$\");\nif (doc.N % 10 == 0) try { slow.IsMatch(new string('a', 60) + \"!\"); } catch (Exception e) { if (e.Message == \"\") return; }",
        "limits: { time: 200ms }",
        "limits.time = 200ms."
    )]
    [InlineData(
        "if (doc.N % 10 == 0) { int F(int n) => F(n + 1); F(0); }",
        "limits: { time: 10m }",
        "recurses too deeply"
    )]
    [InlineData(
        "if (doc.N % 10 == 0) throw new InvalidOperationException(\"tenth\");",
        "limits: { time: 5s }",
        "tenth"
    )]
    public async Task Every_tenth_document_is_a_dead_letter_and_all_else_goes_on(
        string script,
        string limits,
        string reason
    )
    {
        await using var fixture = new RunnerFixture();
        await fixture.PutManyAsync(1, 40);

        await fixture.RunToEndAsync(RunnerFixture.Task("bad", script + Send, more: limits), RunnerFixture.Task("good"));

        int[] expected = [.. Enumerable.Range(1, 40).Where(n => n % 10 != 0)];
        Assert.Equal(
            expected,
            fixture.Broker.Bodies("bad").Select(b => JsonDocument.Parse(b).RootElement.GetProperty("N").GetInt32())
        );
        Assert.Equal(40, fixture.Broker.Bodies("good").Length);
        var letters = fixture.DeadLetters();
        Assert.Equal(
            ["things/10", "things/20", "things/30", "things/40"],
            letters.Select(l => l.GetProperty("DocumentId").GetString()).Order()
        );
        Assert.All(
            letters,
            l =>
                Assert.Contains(
                    reason,
                    l.GetProperty("Error").GetProperty("Message").GetString(),
                    StringComparison.Ordinal
                )
        );
    }
}
