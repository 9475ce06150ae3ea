namespace Pipeline.Etl.Configuration;

/// <summary>A script in a configuration file: its text, and where each place of the text stands in the file. Variables are not put into it: a script reads
/// no <c>${…}</c>, so that no variable can change what it does. Immutable.</summary>
public sealed class ScriptText
{
    private readonly ScalarNode? _node;

    internal ScriptText(string file, ScalarNode node)
    {
        File = file;
        Text = node.Raw;
        _node = node;
    }

    /// <summary>Makes a script that stands alone, outside a YAML file.</summary>
    /// <param name="text">The script.</param>
    /// <param name="file">What its errors are reported under.</param>
    public ScriptText(string text, string file = "script")
    {
        File = file;
        Text = text;
    }

    /// <summary>The file as the caller named it.</summary>
    public string File { get; }

    /// <summary>The script, indentation and quotes of the YAML undone.</summary>
    public string Text { get; }

    /// <summary>The place in the file of a place in <see cref="Text"/>; lines and columns (UTF-16 units) from 1.</summary>
    public (int Line, int Column) Locate(int line, int column) => _node?.Text.Locate(line, column) ?? (line, column);

    /// <inheritdoc/>
    public override string ToString() => Text;
}
