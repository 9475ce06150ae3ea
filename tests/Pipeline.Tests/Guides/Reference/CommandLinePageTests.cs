using System.CommandLine;
using System.CommandLine.Help;
using System.Globalization;
using Pipeline.Worker;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Terminal;
using Xunit;

namespace Pipeline.Tests.Guides.Reference;

/// <summary>docs/reference/command-line.md matches the commands that the program takes.</summary>
public sealed class CommandLinePageTests
{
    [Fact]
    public void The_page_is_up_to_date()
    {
        var root = new PipelineCommandLine(
            new WorkerConsole(TextWriter.Null, TextWriter.Null, Stream.Null),
            TimeProvider.System
        ).Root;
        var page = new ReferencePage("command-line.md", "Command line");
        page.Prose($"`pipeline COMMAND`. {root.Description}");
        page.Table(
            ["option of every command", "default", "meaning"],
            root.Options.Where(o => !o.Hidden && (o.Recursive || o is VersionOption)).Select(Row)
        );
        foreach (var command in Commands(root))
            Add(page, command);
        page.Check();
    }

    [Fact]
    public void Every_command_and_option_has_a_description_that_is_a_sentence()
    {
        var root = new PipelineCommandLine(
            new WorkerConsole(TextWriter.Null, TextWriter.Null, Stream.Null),
            TimeProvider.System
        ).Root;
        foreach (var command in Commands(root).Where(c => !c.Hidden))
        {
            Assert.True(command.Description?.EndsWith('.'), $"{Name(command)}: '{command.Description}'");
            Assert.All(
                command.Options.Where(o => !o.Hidden && o is not HelpOption),
                o =>
                    Assert.True(
                        o.Description?.TrimEnd(')').EndsWith('.') == true || o.Description!.EndsWith(')'),
                        $"{Name(command)} {o.Name}: '{o.Description}'"
                    )
            );
        }
    }

    private static void Add(ReferencePage page, Command command)
    {
        page.Heading(2, $"pipeline {Name(command)}");
        page.Prose(command.Description!);
        var rows = command
            .Arguments.Where(a => !a.Hidden)
            .Select(Row)
            .Concat(command.Options.Where(o => !o.Hidden && o is not HelpOption).Select(Row))
            .ToList();
        if (rows.Count > 0)
            page.Table(["argument or option", "default", "meaning"], rows);
    }

    private static string[] Row(Argument argument) =>
        [
            $"`{(argument.HelpName ?? argument.Name).ToUpperInvariant()}`",
            argument.Arity.MinimumNumberOfValues > 0 ? "required" : "",
            Cell(argument.Description),
        ];

    private static string[] Row(Option option)
    {
        var names = string.Join(", ", new[] { option.Name }.Concat(option.Aliases).Select(n => $"`{n}`"));
        var value = option.HelpName is { } help ? $" {help}" : "";
        return [names + value, option.Required ? "required" : Default(option), Cell(option.Description)];
    }

    private static string Default(Option option) =>
        option.HasDefaultValue && option.ValueType != typeof(bool)
            ? Convert.ToString(option.GetDefaultValue(), CultureInfo.InvariantCulture) ?? ""
            : "";

    private static string Cell(string? text) => (text ?? "").Replace("<", "&lt;", StringComparison.Ordinal);

    private static string Name(Command command) =>
        command.Parents.OfType<Command>().FirstOrDefault() is { } above and not RootCommand
            ? $"{above.Name} {command.Name}"
            : command.Name;

    /// <summary>The commands that run, in the order of the help text: those below another in its place.</summary>
    private static IEnumerable<Command> Commands(Command above) =>
        above.Subcommands.Where(c => !c.Hidden).SelectMany(c => c.Subcommands.Count > 0 ? Commands(c) : [c]);
}
