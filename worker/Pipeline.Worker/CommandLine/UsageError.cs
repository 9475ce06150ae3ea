using System.CommandLine;
using System.Text.RegularExpressions;

namespace Pipeline.Worker.CommandLine;

/// <summary>Describes the error of a command line in one line, and says where to find help.</summary>
internal static partial class UsageError
{
    /// <summary>Returns the line.</summary>
    public static string Describe(ParseResult parsed, RootCommand root)
    {
        var command = parsed.CommandResult.Command;
        if (command == root && parsed.UnmatchedTokens.Count > 0)
        {
            var token = parsed.UnmatchedTokens[0];
            var names = root.Subcommands.Select(c => c.Name).ToList();
            return token.StartsWith('-')
                ? $"pipeline: there is no option '{token}' here; 'pipeline --help' lists the options"
                : $"pipeline: there is no command '{token}'{DidYouMean(token, names)}; 'pipeline --help' lists them";
        }
        var path = Path(command);
        var help = $"'{path} --help' shows its usage";
        if (parsed.UnmatchedTokens.Count > 0)
        {
            var token = parsed.UnmatchedTokens[0];
            if (command.Subcommands.Count > 0 && !token.StartsWith('-'))
                return $"{path}: there is no command '{token}'{DidYouMean(token, [.. command.Subcommands.Select(c => c.Name)])}; '{path} --help' lists them";
            var names = command.Options.Concat(root.Options).Select(o => o.Name).ToList();
            return token.StartsWith('-')
                ? $"{path}: there is no option '{token}'{DidYouMean(token, names)}; {help}"
                : $"{path}: '{token}' is one argument too many; {help}";
        }
        return $"{path}: {Plain(parsed.Errors[0].Message.TrimEnd('.'))}; {help}";
    }

    /// <summary>The parser's own messages, in the words of the others.</summary>
    private static string Plain(string message)
    {
        if (MissingArgument().Match(message) is { Success: true } argument)
            return $"{argument.Groups[1].Value} is missing";
        if (MissingValue().Match(message) is { Success: true } option)
            return $"{option.Groups[1].Value} has no value; give one after it";
        return Repeated().Match(message) is { Success: true } repeated
            ? $"{repeated.Groups[1].Value} has {repeated.Groups[2].Value} values; give it once"
            : message;
    }

    [GeneratedRegex("^Required argument '(.+)' missing for command: ")]
    private static partial Regex MissingArgument();

    [GeneratedRegex("^Required argument missing for option: '(.+)'$")]
    private static partial Regex MissingValue();

    [GeneratedRegex("^Option '(.+)' expects a single argument but ([0-9]+) were provided$")]
    private static partial Regex Repeated();

    /// <summary>The command as a person types it, starting with the program's name.</summary>
    private static string Path(Command command)
    {
        var names = new Stack<string>();
        for (var at = command; at is not (null or RootCommand); at = at.Parents.OfType<Command>().FirstOrDefault())
            names.Push(at.Name);
        return string.Join(' ', names.Prepend("pipeline"));
    }

    private static string DidYouMean(string token, IReadOnlyList<string> names)
    {
        var nearest = names.Select(n => (Name: n, Distance: Distance(token, n))).MinBy(n => n.Distance);
        return nearest.Distance <= Math.Max(1, token.TrimStart('-').Length / 2)
            ? $" (did you mean '{nearest.Name}'?)"
            : "";
    }

    /// <summary>
    /// Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours.
    /// </summary>
    private static int Distance(string a, string b)
    {
        var rows = new int[a.Length + 1, b.Length + 1];
        for (var i = 0; i <= a.Length; i++)
            rows[i, 0] = i;
        for (var j = 0; j <= b.Length; j++)
            rows[0, j] = j;
        for (var i = 1; i <= a.Length; i++)
        {
            for (var j = 1; j <= b.Length; j++)
            {
                var cost = a[i - 1] == b[j - 1] ? 0 : 1;
                rows[i, j] = Math.Min(Math.Min(rows[i - 1, j] + 1, rows[i, j - 1] + 1), rows[i - 1, j - 1] + cost);
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                    rows[i, j] = Math.Min(rows[i, j], rows[i - 2, j - 2] + 1);
            }
        }
        return rows[a.Length, b.Length];
    }
}
