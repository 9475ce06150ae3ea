using YamlDotNet.Core;
using YamlDotNet.Core.Events;

namespace Pipeline.Yaml.Nodes;

/// <summary>
/// First phase: YAML text to nodes with their places, within <see cref="ConfigurationLimits"/>. Values stay text;
/// nothing is put in yet.
/// </summary>
internal sealed class YamlNodeReader
{
    private readonly string _file;
    private readonly string[] _source;
    private readonly Parser _parser;
    private readonly List<Diagnostic> _diagnostics;
    private readonly Dictionary<string, ConfigNode> _anchors = new(StringComparer.Ordinal);
    private readonly HashSet<string> _openAnchors = new(StringComparer.Ordinal);
    private long _nodes;

    private YamlNodeReader(string file, string text, List<Diagnostic> diagnostics)
    {
        _file = file;
        _source = text.Replace("\r\n", "\n", StringComparison.Ordinal).Split('\n', '\r');
        _parser = new Parser(new StringReader(text));
        _diagnostics = diagnostics;
    }

    /// <summary>Reads the one document of a file. Returns <see langword="null"/> and adds the reason to the list if
    /// there is none or its syntax is wrong.</summary>
    public static ConfigNode? Read(string file, string text, List<Diagnostic> diagnostics)
    {
        var reader = new YamlNodeReader(file, text, diagnostics);
        try
        {
            return reader.ReadDocument();
        }
        catch (StopException)
        {
            return null;
        }
        catch (YamlException e)
        {
            reader.ReportSyntax(e.Start, e.End, e.Message);
            return null;
        }
        catch (Exception e)
            when (e
                    is InvalidOperationException
                        or ArgumentException
                        or FormatException
                        or OverflowException
                        or IndexOutOfRangeException
            )
        {
            // The parser's own slips on strange input; to the user they are the same thing.
            reader.ReportSyntax(
                reader._parser.Current?.End ?? Mark.Empty,
                Mark.Empty,
                "the text cannot be read as YAML"
            );
            return null;
        }
    }

    private ConfigNode? ReadDocument()
    {
        _parser.MoveNext();
        _parser.MoveNext();
        if (_parser.Current is not DocumentStart)
        {
            Report(1, 1, "the file is empty", "start it with 'version: 1'");
            return null;
        }

        _parser.MoveNext();
        var root = ReadNode(0);
        _parser.MoveNext();
        _parser.MoveNext();
        if (_parser.Current is DocumentStart second)
        {
            Report(
                (int)second.Start.Line,
                (int)second.Start.Column,
                "a second YAML document begins here",
                "keep one document in a file"
            );
        }

        return root;
    }

    // On entry the parser is at the node's first event, on exit at its last.
    private ConfigNode ReadNode(int depth)
    {
        if (_parser.Current is not (NodeEvent or AnchorAlias))
        {
            // The parser lets some broken texts through: a key without a value, a tag on nothing.
            var mark = _parser.Current?.Start ?? Mark.Empty;
            ReportSyntax(mark, mark, "a value is missing here");
            throw new StopException();
        }

        var current = _parser.Current;
        int line = Math.Max((int)current.Start.Line, 1),
            column = Math.Max((int)current.Start.Column, 1);
        if (depth > ConfigurationLimits.MaxDepth)
            Stop(line, column, $"nested deeper than {ConfigurationLimits.MaxDepth} levels (MaxDepth)");

        if (current is AnchorAlias alias)
            return Resolve(alias, line, column);
        var start = (NodeEvent)current;
        if (!start.Tag.IsEmpty && !start.Tag.IsNonSpecific)
            Report(line, column, $"the tag '{start.Tag.Value}' is not supported", "leave it out");
        var anchor = start.Anchor.IsEmpty ? null : start.Anchor.Value;
        if (anchor is not null)
            _openAnchors.Add(anchor);

        ConfigNode node = start switch
        {
            Scalar scalar => ReadScalar(scalar, line, column),
            SequenceStart => ReadSequence(line, column, depth),
            MappingStart => ReadMapping(line, column, depth),
            _ => throw new InvalidOperationException(start.GetType().Name),
        };

        if (anchor is not null)
        {
            _openAnchors.Remove(anchor);
            _anchors[anchor] = node;
        }

        return node;
    }

    private ScalarNode ReadScalar(Scalar scalar, int line, int column)
    {
        Count(1, line, column);
        var text = ScalarText.Create(scalar.Value, scalar.Style, line, column, _source);
        return new ScalarNode(line, column, scalar.Value, text, scalar.Style == ScalarStyle.Plain)
        {
            IsFolded = scalar.Style == ScalarStyle.Folded,
        };
    }

    private SequenceNode ReadSequence(int line, int column, int depth)
    {
        Count(1, line, column);
        var node = new SequenceNode(line, column);
        while (_parser.MoveNext() && _parser.Current is not SequenceEnd)
            node.Add(ReadNode(depth + 1));
        return node;
    }

    private MappingNode ReadMapping(int line, int column, int depth)
    {
        Count(1, line, column);
        var node = new MappingNode(line, column);
        while (_parser.MoveNext() && _parser.Current is not MappingEnd)
        {
            var key = ReadNode(depth + 1);
            _parser.MoveNext();
            var value = ReadNode(depth + 1);
            if (key is not ScalarNode scalar)
            {
                Report(key.Line, key.Column, $"a key must be a word, found {key.Describe()}", null);
            }
            else if (scalar is { Raw: "<<", IsPlain: true })
            {
                Report(
                    key.Line,
                    key.Column,
                    "merge keys ('<<') are not supported",
                    "repeat the keys, or use an alias for the whole value"
                );
            }
            else if (!node.TryAdd(scalar, value))
            {
                Report(
                    key.Line,
                    key.Column,
                    $"the key '{scalar.Raw}' is defined twice, first in line {node.FindKey(scalar.Raw)!.Line}",
                    "remove one of them"
                );
            }
        }

        return node;
    }

    private ConfigNode Resolve(AnchorAlias alias, int line, int column)
    {
        var name = alias.Value.Value;
        if (_openAnchors.Contains(name))
            Stop(line, column, $"the alias '*{name}' stands inside its own anchor");
        if (!_anchors.TryGetValue(name, out var node))
            Stop(line, column, $"the alias '*{name}' has no anchor '&{name}' before it");
        Count(node!.Size, line, column);
        return node;
    }

    private void Count(long nodes, int line, int column)
    {
        _nodes += nodes;
        if (_nodes > ConfigurationLimits.MaxNodes)
        {
            Stop(
                line,
                column,
                $"more than {ConfigurationLimits.MaxNodes} keys and values, aliases counted whole (MaxNodes)"
            );
        }
    }

    private void ReportSyntax(Mark start, Mark end, string message)
    {
        int line = Math.Clamp((int)start.Line, 1, _source.Length),
            column = Math.Max((int)start.Column, 1);
        string? suggestion = null;
        // The parser names the place where the mapping begins or where it stopped. An error about a tab refers to a
        // place after the text that it has read.
        int last = Math.Clamp((int)end.Line, 1, _source.Length),
            read = Math.Clamp((int)(_parser.Current?.End.Line ?? 1), 1, _source.Length);
        var behind = message.Contains(" tab ", StringComparison.Ordinal)
            ? Enumerable.Range(read, _source.Length - read + 1)
            : [];
        if (
            new[] { last, last + 1, line, line + 1 }
                .Concat(behind)
                .FirstOrDefault(l => l <= _source.Length && IsIndentedByTab(l - 1))
            is > 0
                and var tab
        )
        {
            (line, column) = (tab, _source[tab - 1].IndexOf('\t', StringComparison.Ordinal) + 1);
            suggestion = "indent with spaces, not with tabs";
        }
        else if (_source[line - 1].Contains("${", StringComparison.Ordinal))
        {
            suggestion = "put quotes round a value with '${…}' inside { } or [ ]";
        }

        Report(line, column, "YAML syntax: " + message.TrimEnd('.'), suggestion);
    }

    private bool IsIndentedByTab(int line) =>
        _source[line].AsSpan(0, _source[line].Length - _source[line].AsSpan().TrimStart(" \t").Length).Contains('\t');

    private void Report(int line, int column, string message, string? suggestion) =>
        _diagnostics.Add(new Diagnostic(_file, line, column, message, suggestion));

    [System.Diagnostics.CodeAnalysis.DoesNotReturn]
    private void Stop(int line, int column, string message)
    {
        Report(line, column, message, null);
        throw new StopException();
    }

    /// <summary>Reading cannot continue. The reason is in the list already.</summary>
    private sealed class StopException : Exception;
}
