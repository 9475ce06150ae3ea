using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Configuration;
using Pipeline.Yaml;

namespace Pipeline.Hosting.Workers;

/// <summary>
/// Gives <c>${NAME}</c> of a configuration file its value: from <c>Pipeline:KEY:Variables:NAME</c>,
/// <c>Pipeline:Variables:NAME</c>, <c>NAME</c> of the host's configuration, then from the environment. Thread-safe.
/// </summary>
internal sealed class ConfiguredVariables(IConfiguration configuration, string? key) : IVariableSource
{
    private readonly string[] _sections = key is null ? [Section(null)] : [Section(key), Section(null)];

    /// <inheritdoc/>
    public IEnumerable<string> Names =>
        _sections
            .SelectMany(s => configuration.GetSection(s).GetChildren())
            .Select(c => c.Key)
            .Concat(EnvironmentVariables.Instance.Names);

    /// <inheritdoc/>
    public bool TryGet(string name, [NotNullWhen(true)] out string? value)
    {
        value =
            _sections.Select(s => configuration[$"{s}:{name}"]).FirstOrDefault(v => v is not null)
            ?? configuration[name];
        return value is not null || EnvironmentVariables.Instance.TryGet(name, out value);
    }

    private static string Section(string? key) => $"{HostSection.Of(key)}:{HostSection.Variables}";
}
