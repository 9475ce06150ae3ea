using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed class CommandLineTests
{
    [Theory]
    [InlineData("rnu", "pipeline: there is no command 'rnu' (did you mean 'run'?); 'pipeline --help' lists them")]
    [InlineData("zzzzzz", "pipeline: there is no command 'zzzzzz'; 'pipeline --help' lists them")]
    [InlineData("--bogus", "pipeline: there is no option '--bogus' here; 'pipeline --help' lists the options")]
    [InlineData("lint --bogus", "pipeline lint: there is no option '--bogus'; 'pipeline lint --help' shows its usage")]
    [InlineData(
        "run --onec",
        "pipeline run: there is no option '--onec' (did you mean '--once'?); 'pipeline run --help' shows its usage"
    )]
    [InlineData("stats x", "pipeline stats: 'x' is one argument too many; 'pipeline stats --help' shows its usage")]
    [InlineData("get", "pipeline get: ID is missing; 'pipeline get --help' shows its usage")]
    [InlineData(
        "run --log-level loud",
        "pipeline run: --log-level 'loud' is not one of trace, debug, info, warn, error, none; 'pipeline run --help' shows its usage"
    )]
    [InlineData(
        "import a.jsonl --on-error stop",
        "pipeline import: --on-error 'stop' is neither abort nor skip; 'pipeline import --help' shows its usage"
    )]
    [InlineData(
        "get a --config b --data c",
        "pipeline get: --config and --data cannot be combined; the configuration names the data folder; 'pipeline get --help' shows its usage"
    )]
    [InlineData(
        "plan --sample x",
        "pipeline plan: --sample 'x' is not a whole number; 'pipeline plan --help' shows its usage"
    )]
    [InlineData(
        "plan --sample 999999999999",
        "pipeline plan: --sample '999999999999' is out of range; the range is -2147483648 to 2147483647; 'pipeline plan --help' shows its usage"
    )]
    [InlineData(
        "plan --sample",
        "pipeline plan: --sample has no value; give one after it; 'pipeline plan --help' shows its usage"
    )]
    [InlineData(
        "plan --sample 1 --sample 2",
        "pipeline plan: --sample has 2 values; give it once; 'pipeline plan --help' shows its usage"
    )]
    [InlineData(
        "replay t --from x",
        "pipeline replay: --from 'x' is not a whole number; 'pipeline replay --help' shows its usage"
    )]
    [InlineData(
        "scrub --mib-per-second x",
        "pipeline scrub: --mib-per-second 'x' is not a whole number from 1 up; 'pipeline scrub --help' shows its usage"
    )]
    [InlineData(
        "deadletters drop",
        "pipeline deadletters drop: name the dead letters by their ids, or give --task, --query or --all; 'pipeline deadletters drop --help' shows its usage"
    )]
    [InlineData(
        "deadletters drop --tsak t",
        "pipeline deadletters drop: there is no option '--tsak'; 'pipeline deadletters drop --help' shows its usage"
    )]
    [InlineData(
        "deadletters dorp",
        "pipeline deadletters: there is no command 'dorp' (did you mean 'drop'?); 'pipeline deadletters --help' lists them"
    )]
    [InlineData(
        "deadletters list --limit -1",
        "pipeline deadletters list: --limit is -1; it must be at least 1; 'pipeline deadletters list --help' shows its usage"
    )]
    [InlineData(
        "health --url ftp://x",
        "pipeline: --url 'ftp://x' is not an http address; it is usually http://127.0.0.1:8080"
    )]
    public async Task AWrongCommandLineIsOneLineAndExitCode2(string line, string expected)
    {
        var run = await WorkerRun.InvokeAsync(line.Split(' '));

        Assert.Equal(expected + Environment.NewLine, run.Error);
        Assert.Equal("", run.Out);
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
    }

    [Fact]
    public async Task WithoutACommandTheHelpIsShown()
    {
        var run = await WorkerRun.InvokeAsync();

        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        foreach (
            var command in (string[])["run", "lint", "import", "get", "export", "stats", "health", "scrub", "io-stats"]
        )
        {
            Assert.Contains($"\n  {command} ", run.Out);
        }

        Assert.Contains("Exit codes: 0 done; 1 work failed; 2 ", run.Out);
    }

    [Theory]
    [InlineData("run", "--once")]
    [InlineData("lint", "FILE")]
    [InlineData("import", "--on-error <abort|skip>")]
    [InlineData("get", "--data <FOLDER>")]
    [InlineData("export", "--collection <NAME>")]
    [InlineData("stats", "--json")]
    [InlineData("health", "--url <URL>")]
    public async Task EachCommandHasHelp(string command, string part)
    {
        var run = await WorkerRun.InvokeAsync(command, "--help");

        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.Contains(part, run.Out);
    }

    [Fact]
    public async Task AMissingConfigurationIsNamed()
    {
        using var folder = new TestFolder();

        var run = await WorkerRun.InvokeAsync("run", "--config", folder["none.yaml"]);

        Assert.Equal(
            $"pipeline: {folder["none.yaml"]}:1:1: there is no such file; name the file with --config FILE{Environment.NewLine}",
            run.Error
        );
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
    }

    [Fact]
    public async Task EveryFaultOfAConfigurationIsALine()
    {
        using var folder = new TestFolder();
        var file = folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database:
              nam: shop
              path: ./data
            etl: none
            """
        );

        var run = await WorkerRun.InvokeAsync("run", "--config", file, "--once");

        var lines = run.Error.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        Assert.True(lines.Length >= 2, run.Error);
        Assert.All(lines, l => Assert.StartsWith($"pipeline: {file}:", l));
        Assert.Contains(
            lines,
            l =>
                l.StartsWith($"pipeline: {file}:3:3: ", StringComparison.Ordinal)
                && l.Contains("nam", StringComparison.Ordinal)
        );
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.False(Directory.Exists(folder["data"]));
    }

    [Fact]
    public async Task LintNamesTheFileLineAndColumn()
    {
        using var folder = new TestFolder();
        var file = folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            etl:
              - name: broken
                from: [Orders]
                to: files
                transform: |
                  send("a", new { doc.X }
            connections: { files: { files: { directory: ./out } } }
            """
        );

        var run = await WorkerRun.InvokeAsync("lint", file);

        Assert.StartsWith($"{file}:8:", run.Out);
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
    }

    [Fact]
    public async Task LintOfAGoodFileSaysSo()
    {
        using var folder = new TestFolder();
        var file = folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            connections: { files: { files: { directory: ./out } } }
            etl:
              - { name: good, from: [Orders], to: files, transform: 'send("a", new { doc.X });' }
            """
        );

        var run = await WorkerRun.InvokeAsync("lint", file);

        Assert.Equal($"{file}: no faults; 1 task, 1 connection{Environment.NewLine}", run.Out);
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.False(Directory.Exists(folder["data"]));
    }
}
