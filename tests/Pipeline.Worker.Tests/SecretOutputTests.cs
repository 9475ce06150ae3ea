using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>
/// Secrets from a file and a command, put where errors would show them: nothing that the program writes holds them.
/// </summary>
public sealed class SecretOutputTests
{
    private const string FromFile = "hunter-file",
        FromCommand = "hunter-command",
        Marked = "hunter-marked";

    [Fact]
    public async Task NoOutputHoldsASecret()
    {
        using var folder = new TestFolder();
        var shell = OperatingSystem.IsWindows()
            ? $"[cmd, /c, 'echo {FromCommand}&rem']"
            : $"[/bin/sh, -c, 'echo {FromCommand}']";
        folder.Write("password", FromFile + "\n");
        var documents = folder.Write(
            "documents.jsonl",
            """{"A":1,"@metadata":{"@id":"as/1","@collection":"As"}}""" + "\n"
        );
        var file = folder.Write(
            "pipeline.yaml",
            $$"""
            version: 1
            database: { name: shop, path: ./data }
            secrets: { command: {{shell}} }
            import: [documents.jsonl]
            connections:
              a: { files: { directory: "./none/${file:password}", create: false } }
              b: { files: { directory: "./none/${command:x}", create: false } }
              c: { rabbitmq: { uri: "amqp://me:{{Marked}}@127.0.0.1:1/" } }
            etl:
              - { name: ta, from: [As], to: a, transform: 'send("x", doc);', deletes: true }
              - { name: tb, from: [As], to: b, transform: 'send("x", doc);' }
            """
        );
        var output = new List<string>();
        async Task<WorkerRun> RunAsync(params string[] arguments)
        {
            var run = await WorkerRun.InvokeAsync(arguments);
            output.Add(run.Out + run.Error);
            return run;
        }

        Assert.Equal(ExitCodes.Success, (await RunAsync("lint", file)).ExitCode);
        var once = await RunAsync("run", "--config", file, "--once", "--json", "--log-level", "trace", "--verbose");
        Assert.Equal(ExitCodes.Failed, once.ExitCode);
        Assert.Matches(@"none[/\\]+\*\*\*' does not exist", once.Out + once.Error);
        await RunAsync("run", "--config", file, "--once", "--log-level", "trace");
        await RunAsync("stats", "--config", file);
        await RunAsync("export", "--config", file);
        await RunAsync("test", file);

        // Faults beside secrets, and a secret where something else must stand.
        foreach (
            var (right, wrong) in new[]
            {
                ("127.0.0.1:1/\"", "127.0.0.1:1/\", maxUnconfirmed: \"${file:password}\""),
                ("name: ta", "name: \"${command:x}/\""),
                ("amqp://", "http://"),
                ("[As]", "\"${file:password}\""),
            }
        )
        {
            var broken = folder.Write(
                "broken.yaml",
                File.ReadAllText(file).Replace(right, wrong, StringComparison.Ordinal)
            );
            Assert.Equal(ExitCodes.Usage, (await RunAsync("lint", broken, "--run-commands")).ExitCode);
            Assert.Equal(ExitCodes.Usage, (await RunAsync("run", "--config", broken, "--once", "--verbose")).ExitCode);
        }

        Assert.All(
            output,
            o =>
                Assert.DoesNotContain(
                    "hunter",
                    o.Replace($"echo {FromCommand}", "", StringComparison.Ordinal),
                    StringComparison.Ordinal
                )
        );
        Assert.True(File.Exists(documents));
    }
}
