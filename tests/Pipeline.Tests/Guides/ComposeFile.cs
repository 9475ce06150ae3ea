using System.Globalization;
using YamlDotNet.Core;
using YamlDotNet.Serialization;

namespace Pipeline.Tests.Guides;

/// <summary>A compose file, with its merge keys (<c>&lt;&lt;</c>) resolved.</summary>
internal sealed class ComposeFile
{
    private readonly Dictionary<object, object> _root;

    private ComposeFile(string path, Dictionary<object, object> root) => (Path, _root) = (path, root);

    /// <summary>The file.</summary>
    public string Path { get; }

    /// <summary>The names of the services.</summary>
    public IReadOnlyList<string> Services => [.. Map(_root["services"]).Keys.Select(Text)];

    /// <summary>The names of the volumes.</summary>
    public IReadOnlyList<string> Volumes => [.. Map(_root["volumes"]).Keys.Select(Text)];

    /// <summary>Reads a file.</summary>
    /// <exception cref="YamlException">It is no YAML.</exception>
    public static ComposeFile Read(string path)
    {
        using var reader = File.OpenText(path);
        var merged = new MergingParser(new Parser(reader));
        return new ComposeFile(path, new DeserializerBuilder().Build().Deserialize<Dictionary<object, object>>(merged));
    }

    /// <summary>A value of a service; null if it has none.</summary>
    public object? Of(string service, string key) => Map(Map(_root["services"])[service]).GetValueOrDefault(key);

    /// <summary>The environment of a service.</summary>
    public IReadOnlyDictionary<string, string> EnvironmentOf(string service) =>
        Map(Of(service, "environment")).ToDictionary(p => Text(p.Key), p => Text(p.Value), StringComparer.Ordinal);

    /// <summary>The services that a service waits for, each with its condition.</summary>
    public IReadOnlyDictionary<string, string> DependenciesOf(string service) =>
        Map(Of(service, "depends_on"))
            .ToDictionary(p => Text(p.Key), p => Text(Map(p.Value)["condition"]), StringComparer.Ordinal);

    /// <summary>The mounts of a service: each source with its target.</summary>
    public IReadOnlyList<(string Source, string Target)> MountsOf(string service) =>
        [.. List(Of(service, "volumes")).Select(v => v.Split(':')).Select(p => (p[0], p[1]))];

    /// <summary>The published ports of a service.</summary>
    public IReadOnlyList<string> PortsOf(string service) => List(Of(service, "ports"));

    private static List<string> List(object? value) => [.. (value as List<object> ?? []).Select(Text)];

    private static Dictionary<object, object> Map(object? value) => value as Dictionary<object, object> ?? [];

    private static string Text(object value) => Convert.ToString(value, CultureInfo.InvariantCulture)!;
}
