using Pipeline.Worker;
using Xunit;

namespace Pipeline.Tests.Worker;

public sealed class RekeyCommandTests
{
    [Fact]
    public async Task AnEncryptedDatabaseGetsANewKeyAndOpensWithItAlone()
    {
        using var folder = new TestFolder();
        var (first, second) = (folder.Write("first.key", new string('a', 64)), folder.Write("second.key", new string('b', 64)));
        string Configuration(string key) => folder.Write("pipeline.yaml", $"version: 1\ndatabase:\n  name: t\n  path: data\n  encryption: {{ keyFile: {key} }}\n");
        var config = Configuration("first.key");
        var things = folder.Write("t.jsonl", RunOnceTests.Things(3));
        Assert.Equal(0, (await WorkerRun.InvokeAsync("import", things, "--config", config)).ExitCode);

        Assert.Contains("is encrypted, but no key is given", (await WorkerRun.InvokeAsync("stats", "--data", folder["data"])).Error, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Usage, (await WorkerRun.InvokeAsync("rekey", "--config", config)).ExitCode);
        var run = await WorkerRun.InvokeAsync("rekey", "--config", config, "--new-key-file", second, "--data-key");
        Assert.True(run.ExitCode == 0, run.Error);

        Assert.Contains("under another key", (await WorkerRun.InvokeAsync("stats", "--config", config)).Error, StringComparison.Ordinal);
        Assert.Equal(0, (await WorkerRun.InvokeAsync("stats", "--config", Configuration("second.key"))).ExitCode);
        Assert.NotEqual(first, second);
        var none = await WorkerRun.InvokeAsync("stats", "--config", folder.Write("none.yaml", "version: 1\ndatabase:\n  name: t\n  path: data\n  encryption: {}\n"));
        Assert.Contains("must name one source of the key", none.Error, StringComparison.Ordinal);
    }
}
