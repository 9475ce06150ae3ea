using Pipeline.Yaml.Nodes;

namespace Pipeline.Yaml;

/// <summary>A script in a configuration file: its text, and the place in the file of each place in the text.
/// <c>${…}</c> is not expanded in scripts, so no variable can change a script's code. Immutable.</summary>
public sealed class ScriptText
{
    private readonly ScalarNode? _node;

    internal ScriptText(string file, ScalarNode node)
    {
        File = file;
        Text = node.Raw;
        _node = node;
    }

    /// <summary>Creates a script that is not part of a YAML file.</summary>
    /// <param name="text">The script.</param>
    /// <param name="file">The file name that its errors are reported under.</param>
    public ScriptText(string text, string file = "script")
    {
        File = file;
        Text = text;
    }

    /// <summary>The file as the caller named it.</summary>
    public string File { get; }

    /// <summary>The script, without the indentation and quotes of the YAML.</summary>
    public string Text { get; }

    /// <summary>
    /// The place in the file of a place in <see cref="Text"/>; lines and columns (UTF-16 units) from 1.
    /// </summary>
    public (int Line, int Column) Locate(int line, int column) => _node?.Text.Locate(line, column) ?? (line, column);

    /// <inheritdoc/>
    public override string ToString() => Text;
}
