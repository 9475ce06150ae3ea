using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Yaml;

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
