using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Etl.Configuration;

/// <summary>Where <c>${VAR}</c> in a configuration file gets its value.</summary>
public interface IVariableSource
{
    /// <summary>Looks a variable up; <see langword="false"/> where it is not set.</summary>
    bool TryGet(string name, [NotNullWhen(true)] out string? value);

    /// <summary>The names that are set, for the suggestion beside an undefined one. May be empty.</summary>
    IEnumerable<string> Names { get; }
}
