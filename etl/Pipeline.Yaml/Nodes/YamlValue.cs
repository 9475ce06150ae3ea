using System.Text;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Yaml;

/// <summary>A value of any shape in a configuration file, as JSON. A plain <c>null</c>, <c>true</c>, <c>false</c> or
/// number is that, all else text; variables are not put into it. Immutable.</summary>
public sealed class YamlValue
{
    internal YamlValue(ConfigNode node)
    {
        Line = node.Line;
        Column = node.Column;
        Json = NodeJson.Write(node);
    }

    /// <summary>Where it begins in its file, from 1.</summary>
    public int Line { get; }

    /// <summary>The column, from 1.</summary>
    public int Column { get; }

    /// <summary>The value as UTF-8 JSON.</summary>
    public ReadOnlyMemory<byte> Json { get; }

    /// <inheritdoc/>
    public override string ToString() => Encoding.UTF8.GetString(Json.Span);
}
