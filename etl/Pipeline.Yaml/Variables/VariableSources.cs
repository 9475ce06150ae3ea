using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Yaml;

/// <summary>Gives <c>${VAR}</c> in a configuration file its value.</summary>
public interface IVariableSource
{
    /// <summary>Looks up a variable. Returns <see langword="false"/> if it is not set.</summary>
    bool TryGet(string name, [NotNullWhen(true)] out string? value);

    /// <summary>
    /// The names that are set, from which errors about undefined variables suggest one. May be empty.
    /// </summary>
    IEnumerable<string> Names { get; }
}

/// <summary>The process's environment as variables. Thread-safe.</summary>
public sealed class EnvironmentVariables : IVariableSource
{
    /// <summary>The one instance.</summary>
    public static EnvironmentVariables Instance { get; } = new();

    /// <inheritdoc/>
    public IEnumerable<string> Names => Environment.GetEnvironmentVariables().Keys.Cast<string>();

    /// <inheritdoc/>
    public bool TryGet(string name, [NotNullWhen(true)] out string? value)
    {
        value = Environment.GetEnvironmentVariable(name);
        return value is not null;
    }
}

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
