using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Yaml;

/// <summary>Variables given in code. Immutable and thread-safe.</summary>
public sealed class FixedVariables : IVariableSource
{
    private readonly Dictionary<string, string> _values;

    /// <summary>Takes a copy of the given variables; names are case-sensitive.</summary>
    public FixedVariables(IEnumerable<KeyValuePair<string, string>> values)
    {
        _values = new Dictionary<string, string>(values, StringComparer.Ordinal);
    }

    /// <summary>No variables.</summary>
    public static FixedVariables None { get; } = new([]);

    /// <inheritdoc/>
    public IEnumerable<string> Names => _values.Keys;

    /// <inheritdoc/>
    public bool TryGet(string name, [NotNullWhen(true)] out string? value) => _values.TryGetValue(name, out value);
}
