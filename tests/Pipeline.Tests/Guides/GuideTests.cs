using System.CommandLine.Parsing;
using System.Text.RegularExpressions;
using Pipeline.TestKit.Files;
using Pipeline.Worker;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Terminal;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Tests.Guides;

/// <summary>
/// CONTRIBUTING.md and the pages under docs/: configurations have no faults and pass their cases, the program accepts
/// each command line, and no line is too long.
/// </summary>
public sealed partial class GuideTests
{
    private const int MaxLineLength = 100;

    public static TheoryData<string> Pages
    {
        get
        {
            var pages = new TheoryData<string>();
            foreach (
                var page in RepositoryTree
                    .Files(".md", "docs")
                    .Append(Path.Combine(RepositoryTree.Root, "CONTRIBUTING.md"))
                    .Select(RepositoryTree.Relative)
                    .Order(StringComparer.Ordinal)
            )
            {
                pages.Add(page);
            }

            return pages;
        }
    }

    [Theory]
    [MemberData(nameof(Pages))]
    public async Task Configurations_have_no_faults_and_their_cases_pass(string page)
    {
        foreach (var (_, yaml) in Blocks(page, "yaml"))
        {
            using var folder = new TestFolder();
            var file = folder.Write("pipeline.yaml", yaml);
            var lint = await WorkerRun.InvokeAsync("lint", "--no-variables", file);
            Assert.True(lint.ExitCode == ExitCodes.Success, $"{page}: {lint.Error}{lint.Out}\n{yaml}");
            if (!yaml.Contains("tests:", StringComparison.Ordinal))
                continue;
            var test = await WorkerRun.InvokeAsync("test", file);
            Assert.True(test.ExitCode == ExitCodes.Success, $"{page}: {test.Error}{test.Out}\n{yaml}");
        }
    }

    [Theory]
    [MemberData(nameof(Pages))]
    public void Command_lines_are_ones_that_the_program_takes(string page)
    {
        var program = new PipelineCommandLine(
            new WorkerConsole(TextWriter.Null, TextWriter.Null, Stream.Null),
            TimeProvider.System
        );
        foreach (var (_, console) in Blocks(page, "console"))
        {
            foreach (Match line in Command().Matches(console))
            {
                var fault = program.FindFault([.. CommandLineParser.SplitCommandLine(line.Groups["arguments"].Value)]);
                Assert.True(fault is null, $"{page}: $ {line.Value}: {fault}");
            }
        }
    }

    [Theory]
    [MemberData(nameof(Pages))]
    public void Programs_are_cut_from_files_that_are_compiled(string page) =>
        Assert.All(
            Blocks(page, "csharp"),
            block => Assert.StartsWith("<!-- cut from ", block.Before, StringComparison.Ordinal)
        );

    [Theory]
    [MemberData(nameof(Pages))]
    public void Prose_has_short_lines(string page)
    {
        var code = false;
        foreach (
            var (line, number) in File.ReadLines(Path.Combine(RepositoryTree.Root, page)).Select((l, i) => (l, i + 1))
        )
        {
            if (line.StartsWith("```", StringComparison.Ordinal))
                code = !code;
            Assert.True(
                code || line.StartsWith('|') || line.Length <= MaxLineLength,
                $"{page}:{number}: {line.Length} characters"
            );
        }
    }

    [Fact]
    public void A_command_line_that_the_program_does_not_take_is_found() =>
        Assert.NotNull(
            new PipelineCommandLine(
                new WorkerConsole(TextWriter.Null, TextWriter.Null, Stream.Null),
                TimeProvider.System
            ).FindFault(["lint", "--no-such-option"])
        );

    /// <summary>The fenced blocks of one language, with the line before each.</summary>
    private static IEnumerable<(string Before, string Text)> Blocks(string page, string language) =>
        Block()
            .Matches(File.ReadAllText(Path.Combine(RepositoryTree.Root, page)))
            .Where(b => b.Groups["language"].Value == language)
            .Select(b => (b.Groups["before"].Value, b.Groups["text"].Value));

    [GeneratedRegex(@"(?<before>[^\n]*)\n```(?<language>\w+)\n(?<text>.*?)\n```", RegexOptions.Singleline)]
    private static partial Regex Block();

    [GeneratedRegex(@"^\$ pipeline (?<arguments>.+)$", RegexOptions.Multiline)]
    private static partial Regex Command();
}
