using YamlDotNet.Core;

namespace Pipeline.Yaml.Nodes;

/// <summary>
/// Maps the characters of one YAML scalar to their places in the file. Undoes indentation, quotes, escapes and line
/// folding. Immutable.
/// </summary>
internal sealed class ScalarText
{
    private readonly string _value;
    private readonly int _line;
    private readonly int _column;
    private readonly int _indent;
    private readonly (int Line, int Column)[]? _places;

    private ScalarText(string value, int line, int column, int indent, (int, int)[]? places)
    {
        _value = value;
        _line = line;
        _column = column;
        _indent = indent;
        _places = places;
    }

    /// <summary>
    /// Maps a scalar whose first mark (the indicator or the first character) is at the given place, both from 1.
    /// </summary>
    public static ScalarText Create(string value, ScalarStyle style, int line, int column, string[] source)
    {
        if (style is ScalarStyle.Literal or ScalarStyle.Folded)
        {
            // The value's lines follow the line of the indicator one by one; the indentation is what the first of them
            // lost.
            var lines = value.Split('\n');
            var first = Array.FindIndex(lines, l => l.AsSpan().Trim(' ').Length > 0);
            var indent = 0;
            if (first >= 0 && line + first < source.Length)
                indent = LeadingSpaces(source[line + first]) - LeadingSpaces(lines[first]);
            return new ScalarText(value, line + 1, 1, Math.Max(indent, 0), null);
        }

        return new ScalarText(value, line, column, 0, MapFlow(value, style, line - 1, column - 1, source));
    }

    /// <summary>
    /// The place in the file of a line and column of the text, all from 1. A place past the end gives the end.
    /// </summary>
    public (int Line, int Column) Locate(int line, int column)
    {
        if (_places is null)
            return (_line + line - 1, column + _indent);
        var offset = 0;
        for (var n = 1; n < line; n++)
        {
            var next = _value.IndexOf('\n', offset);
            if (next < 0)
                break;
            offset = next + 1;
        }

        return LocateOffset(offset + column - 1);
    }

    /// <summary>The place in the file of a character of the text.</summary>
    public (int Line, int Column) LocateOffset(int offset)
    {
        if (_places is not null)
            return _places.Length == 0 ? (_line, _column) : _places[Math.Clamp(offset, 0, _places.Length - 1)];
        var before = _value.AsSpan(0, Math.Min(offset, _value.Length));
        var line = before.Count('\n');
        return (_line + line, before.Length - (before.LastIndexOf('\n') + 1) + 1 + _indent);
    }

    private static int LeadingSpaces(string line) => line.Length - line.AsSpan().TrimStart(' ').Length;

    private static (int, int)[] MapFlow(string value, ScalarStyle style, int line, int column, string[] source)
    {
        var places = new (int, int)[value.Length + 1];
        var quote = style switch
        {
            ScalarStyle.SingleQuoted => '\'',
            ScalarStyle.DoubleQuoted => '"',
            _ => '\0',
        };
        if (quote != '\0')
            column++;
        for (var i = 0; i < places.Length; i++)
        {
            places[i] = (line + 1, column + 1);
            if (i == value.Length || line >= source.Length)
                continue;
            var text = source[line];
            if (AtFold(text, column))
            {
                // n line breaks are folded to one space (n = 1) or to n - 1 line feeds.
                (line, column) = (line + 1, 0);
                while (line < source.Length && string.IsNullOrWhiteSpace(source[line]))
                {
                    if (i + 1 < value.Length && value[i + 1] == '\n')
                        places[++i] = (line + 1, 1);
                    line++;
                }

                if (line < source.Length)
                    column = source[line].Length - source[line].AsSpan().TrimStart(" \t").Length;
            }
            else if (quote == '"' && text[column] == '\\')
            {
                column += EscapeLength(text, column, out var produced);
                if (produced == 2 && i + 1 < value.Length)
                    places[i + 1] = places[i++];
                if (produced == 0)
                {
                    (line, column) = (line + 1, line + 1 < source.Length ? LeadingSpaces(source[line + 1]) : 0);
                    i--;
                }
            }
            else
            {
                column += quote == '\'' && text[column] == '\'' ? 2 : 1;
            }
        }

        return places;
    }

    private static bool AtFold(string text, int column) =>
        column >= text.Length || text.AsSpan(column).Trim(" \t").IsEmpty;

    private static int EscapeLength(string text, int column, out int produced)
    {
        var kind = column + 1 < text.Length ? text[column + 1] : '\0';
        produced = kind switch
        {
            '\0' => 0,
            'U' => 2,
            _ => 1,
        };
        return kind switch
        {
            'x' => 4,
            'u' => 6,
            'U' => 10,
            '\0' => 1,
            _ => 2,
        };
    }
}
