using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration.Testing;

/// <summary>
/// Inserts cases into the text of a configuration file. All other text, comments included, stays unchanged.
/// </summary>
internal static class CaseFile
{
    /// <summary>YAML's line breaks, one character each. A pair of the first two counts as one break.</summary>
    private const string Breaks = "\n\r\u0085\u2028\u2029";

    /// <summary>Where a task's next case goes.</summary>
    /// <param name="Line">The number of lines before it.</param>
    /// <param name="Indent">The column of the dash, from 0.</param>
    /// <param name="Head">Whether the key <c>tests</c> must be written first, two columns before.</param>
    public sealed record Place(int Line, int Indent, bool Head);

    /// <summary>Finds the place.</summary>
    /// <exception cref="RecordingException">The task is written in a way that nothing can be added to.</exception>
    public static Place Find(string file, string text, string task)
    {
        var lines = Lines(text);
        var root = YamlNodeReader.Read(file, text, []) as MappingNode;
        var node =
            (root?.Find("etl") as SequenceNode)
                ?.Items.OfType<MappingNode>()
                .FirstOrDefault(t => t.Find("name") is ScalarNode name && name.Raw == task)
            ?? throw new RecordingException(
                $"{file} has no task whose name is written literally as '{task}'; write the cases to a separate file with --to FILE."
            );
        if (lines[node.Line - 1][node.Column - 1] == '{')
        {
            throw new RecordingException(
                $"{file}:{node.Line}: the task '{task}' is written in {{ }}, which no block can be added to; use --to FILE, or write it as a block."
            );
        }

        var column = node.Column - 1;
        var end = End(lines, node.Line, column);
        var key = node.FindKey("tests");
        if (key is null)
            return new Place(LastContent(lines, node.Line, end), column + 2, true);
        if (
            node.Find("tests") is not SequenceNode { Items: [MappingNode first, ..] }
            || lines[first.Line - 1].TrimStart()[0] != '-'
        )
        {
            throw new RecordingException(
                $"{file}:{key.Line}: 'tests' of '{task}' is not a list of lines that begin with '-'; use --to FILE, or write it so."
            );
        }

        var dash = Indent(lines[first.Line - 1]);
        var listEnd = key.Line;
        while (
            listEnd < end
            && (
                IsEmpty(lines[listEnd])
                || Indent(lines[listEnd]) > dash
                || Indent(lines[listEnd]) == dash && lines[listEnd][dash] == '-'
            )
        )
        {
            listEnd++;
        }

        return new Place(LastContent(lines, key.Line, listEnd), dash, false);
    }

    /// <summary>The text with cases at the place.</summary>
    public static string Insert(string text, Place place, string cases)
    {
        var newline =
            text.Contains("\r\n", StringComparison.Ordinal) ? "\r\n"
            : text.Contains('\r', StringComparison.Ordinal) && !text.Contains('\n', StringComparison.Ordinal) ? "\r"
            : "\n";
        if (place.Head)
            cases = new string(' ', place.Indent - 2) + "tests:\n" + cases;
        cases = cases.Replace("\n", newline, StringComparison.Ordinal);
        var offset = 0;
        for (var i = 0; i < place.Line; i++)
        {
            var next = text.AsSpan(offset).IndexOfAny(Breaks);
            if (next < 0)
                return text + newline + cases;
            offset += next + (text.AsSpan(offset + next).StartsWith("\r\n") ? 2 : 1);
        }

        return text.Insert(offset, cases);
    }

    private static string[] Lines(string text) =>
        text.Replace("\r\n", "\n", StringComparison.Ordinal).Split(Breaks.ToCharArray());

    /// <summary>The first line after a block whose keys begin in the column.</summary>
    private static int End(string[] lines, int line, int column)
    {
        while (line < lines.Length && (IsEmpty(lines[line]) || Indent(lines[line]) >= column))
            line++;
        return line;
    }

    // Blank lines and comments before what follows belong to that.
    private static int LastContent(string[] lines, int from, int end)
    {
        while (end > from && IsEmpty(lines[end - 1]))
            end--;
        return end;
    }

    private static bool IsEmpty(string line) => line.AsSpan().Trim() is { IsEmpty: true } or ['#', ..];

    private static int Indent(string line) => line.Length - line.AsSpan().TrimStart(' ').Length;
}
