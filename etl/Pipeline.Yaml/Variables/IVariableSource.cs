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
