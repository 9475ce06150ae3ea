namespace Pipeline.Yaml.Nodes;

/// <summary>
/// A part of the file with its place. <see cref="Size"/> counts it and all below it, an alias's target each time it is
/// used.
/// </summary>
internal abstract class ConfigNode(int line, int column)
{
    public int Line { get; } = line;

    public int Column { get; } = column;

    public virtual long Size => 1;

    /// <summary>Its name in messages.</summary>
    public abstract string Describe();
}

internal sealed class ScalarNode(int line, int column, string raw, ScalarText text, bool isPlain)
    : ConfigNode(line, column)
{
    /// <summary>The scalar as YAML gives it, variables not yet put in.</summary>
    public string Raw { get; } = raw;

    /// <summary>The place in the file of each of its characters.</summary>
    public ScalarText Text { get; } = text;

    /// <summary>Written without quotes, so that <c>null</c> and <c>true</c> are not text.</summary>
    public bool IsPlain { get; } = isPlain;

    /// <summary>Written with <c>&gt;</c>, so that its line ends are lost.</summary>
    public bool IsFolded { get; init; }

    public bool IsNull => IsPlain && (Raw is "" or "~" or "null" or "Null" or "NULL");

    public override string Describe() =>
        IsNull ? "nothing"
        : Raw.Length > 40 ? $"'{Raw.AsSpan(0, 40)}…'"
        : $"'{Raw}'";
}

internal sealed class SequenceNode(int line, int column) : ConfigNode(line, column)
{
    private long _size = 1;

    public List<ConfigNode> Items { get; } = [];

    public override long Size => _size;

    public void Add(ConfigNode item)
    {
        Items.Add(item);
        _size += item.Size;
    }

    public override string Describe() => "a list";
}

internal sealed class MappingNode(int line, int column) : ConfigNode(line, column)
{
    private readonly Dictionary<string, int> _byKey = new(StringComparer.Ordinal);
    private long _size = 1;

    public List<KeyValuePair<ScalarNode, ConfigNode>> Entries { get; } = [];

    public override long Size => _size;

    public ScalarNode? FindKey(string key) => _byKey.TryGetValue(key, out var index) ? Entries[index].Key : null;

    public ConfigNode? Find(string key) => _byKey.TryGetValue(key, out var index) ? Entries[index].Value : null;

    /// <summary>Adds an entry. Returns <see langword="false"/> if the key exists already.</summary>
    public bool TryAdd(ScalarNode key, ConfigNode value)
    {
        _size += 1 + value.Size;
        if (!_byKey.TryAdd(key.Raw, Entries.Count))
            return false;
        Entries.Add(new(key, value));
        return true;
    }

    public override string Describe() => "a mapping";
}
