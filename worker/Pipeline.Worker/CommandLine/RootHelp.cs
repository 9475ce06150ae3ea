using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// The help of <c>pipeline</c> itself: its commands grouped by purpose, each with the first sentence of its
/// description. Help of a command is the library's.
/// </summary>
internal sealed class RootHelp(RootCommand root, HelpAction ofCommand, IReadOnlyList<CommandGroup> groups)
    : SynchronousCommandLineAction
{
    private const int Margin = 2;
    private const int MinWidth = 60;

    /// <inheritdoc/>
    public override int Invoke(ParseResult parseResult)
    {
        if (parseResult.CommandResult.Command != root)
            return ofCommand.Invoke(parseResult);
        Write(parseResult.InvocationConfiguration.Output, Math.Max(MinWidth, ofCommand.MaxWidth));
        return ExitCodes.Success;
    }

    private void Write(TextWriter output, int width)
    {
        foreach (var line in Lines(root.Description ?? "", width))
            output.WriteLine(line);
        output.WriteLine();
        output.WriteLine("Usage: pipeline [command] [options]");
        var names = groups.SelectMany(g => g.Commands).Select(NameOf).Concat(root.Options.Select(NameOf));
        var column = names.Max(n => n.Length) + Margin;
        foreach (var group in groups)
            Write(group.Title, group.Commands.Select(c => (NameOf(c), c.Description)));
        Write("Options", root.Options.Select(o => (NameOf(o), o.Description)));
        output.WriteLine();
        output.WriteLine("'pipeline COMMAND --help' tells more of a command.");

        void Write(string title, IEnumerable<(string Name, string? Description)> rows)
        {
            output.WriteLine();
            output.WriteLine(title);
            foreach (var (name, description) in rows)
            {
                var head = new string(' ', Margin) + name.PadRight(column);
                foreach (var line in Lines(FirstSentence(description ?? ""), width - head.Length))
                {
                    output.WriteLine(head + line);
                    head = new string(' ', head.Length);
                }
            }
        }
    }

    private static string NameOf(Command command) =>
        string.Join(' ', [command.Name, .. command.Arguments.Select(a => $"<{a.HelpName ?? a.Name}>")]);

    private static string NameOf(Option option) =>
        option.HelpName is { } value ? $"{option.Name} <{value}>" : option.Name;

    private static string FirstSentence(string text) =>
        text.IndexOf(". ", StringComparison.Ordinal) is >= 0 and var end ? text[..(end + 1)] : text;

    /// <summary>Breaks a text into lines between words.</summary>
    private static IEnumerable<string> Lines(string text, int width)
    {
        foreach (var paragraph in text.Split('\n'))
        {
            var line = "";
            foreach (var word in paragraph.Split(' '))
            {
                if (line.Length > 0 && line.Length + 1 + word.Length > width)
                {
                    yield return line;
                    line = "";
                }

                line = line.Length == 0 ? word : line + " " + word;
            }

            yield return line;
        }
    }
}

/// <summary>Commands that serve one purpose.</summary>
/// <param name="Title">The purpose, as help shows it.</param>
/// <param name="Commands">The commands in the order of help.</param>
internal sealed record CommandGroup(string Title, List<Command> Commands);
