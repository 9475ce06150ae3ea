using System.Diagnostics;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Terminal;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed class HelpAndCompletionTests
{
    [Fact]
    public async Task Help_lists_each_command_once_under_a_title()
    {
        var console = new WorkerConsole(TextWriter.Null, TextWriter.Null, Stream.Null);
        var commands = new PipelineCommandLine(console, TimeProvider.System).Root.Subcommands.Select(c => c.Name);
        var help = await WorkerRun.InvokeAsync("--help");
        Assert.Equal(("", 0), (help.Error, help.ExitCode));
        var lines = help.Out.ReplaceLineEndings("\n").Split('\n');
        Assert.Equal(
            commands,
            lines.Where(l => l.StartsWith("  ", StringComparison.Ordinal) && l[2] is not ('-' or ' ')).Select(FirstWord)
        );
        Assert.Superset(
            new HashSet<string>(["Tasks", "Documents", "Subscriptions", "Backups", "Health and storage", "Options"]),
            lines.ToHashSet(StringComparer.Ordinal)
        );

        // Each command has its own help page.
        Assert.Contains("--once", (await WorkerRun.InvokeAsync("run", "--help")).Out, StringComparison.Ordinal);

        static string FirstWord(string line) => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[0];
    }

    [Theory]
    [InlineData("pipeline li", "lint")]
    [InlineData("pipeline backup re", "retention")]
    [InlineData("pipeline run --o", "--once")]
    public async Task The_program_completes_a_line(string line, string found)
    {
        var run = await WorkerRun.InvokeAsync($"[suggest:{line.Length}]", line);
        Assert.Equal(("", 0), (run.Error, run.ExitCode));
        Assert.Equal(found, run.Out.Split('\n')[0].TrimEnd());
    }

    [SkippableFact]
    public async Task Bash_completes_with_the_script()
    {
        Skip.If(OperatingSystem.IsWindows() || !File.Exists("/bin/bash"), "there is no /bin/bash");
        var start = new ProcessStartInfo("/bin/bash") { RedirectStandardOutput = true };
        start.Environment["PATH"] = $"{AppContext.BaseDirectory}:{Environment.GetEnvironmentVariable("PATH")}";
        start.ArgumentList.Add("-c");
        start.ArgumentList.Add(
            """
            source <(pipeline completion bash)
            COMP_LINE="pipeline backup r" COMP_POINT=17 COMP_WORDS=(pipeline backup r) COMP_CWORD=2
            _pipeline_complete
            echo "${COMPREPLY[@]}"
            """
        );
        using var bash = Process.Start(start)!;
        Assert.Equal("retention run", (await bash.StandardOutput.ReadToEndAsync()).Trim());
        await bash.WaitForExitAsync();
    }

    [Theory]
    [InlineData("bash", "complete -o default -F")]
    [InlineData("zsh", "compdef")]
    [InlineData("fish", "complete -c pipeline")]
    [InlineData("pwsh", "Register-ArgumentCompleter -Native")]
    public async Task Each_shell_has_a_script(string shell, string part) =>
        Assert.Contains(part, (await WorkerRun.InvokeAsync("completion", shell)).Out, StringComparison.Ordinal);

    [Fact]
    public async Task Another_shell_is_refused()
    {
        var run = await WorkerRun.InvokeAsync("completion", "cmd");
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains("cmd", run.Error, StringComparison.Ordinal);
    }
}
