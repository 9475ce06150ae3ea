using Pipeline.Database;
using Pipeline.Etl.Connectors;
using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>Binds <c>connections</c> to the options of their kinds.</summary>
/// <param name="binder">Binds the file.</param>
/// <param name="newBinder">Makes a binder that reads the same file's options again.</param>
/// <param name="catalog">The connector kinds.</param>
/// <param name="baseDirectory">The file's folder.</param>
/// <param name="isForTestServer">Whether the files that options name need not exist.</param>
internal sealed class ConnectionBinder(
    SettingsBinder binder,
    Func<SettingsBinder> newBinder,
    ConnectorCatalog catalog,
    string baseDirectory,
    bool isForTestServer
)
{
    private readonly HashSet<string> _names = new(StringComparer.Ordinal);

    /// <summary>The names of all connections, those with faults among them.</summary>
    public IReadOnlyCollection<string> Names => _names;

    /// <summary>Binds one entry of <c>connections</c>.</summary>
    public ConnectionConfiguration? Bind(string path, ConfigNode node, ScalarNode? key)
    {
        var name = key!.Raw;
        _names.Add(name);
        binder.CheckName(key, "a connection's name", name);
        var kinds = string.Join(", ", catalog.Definitions.Select(d => d.Kind));
        if (node is not MappingNode { Entries.Count: 1 } mapping)
        {
            binder.Report(
                node is ScalarNode { IsNull: true } ? key : node,
                $"{path} must hold one kind of connector with its options",
                $"one of: {kinds}"
            );
            return null;
        }

        (var kind, var options) = mapping.Entries[0];
        var definition = catalog.Find(kind.Raw);
        if (definition is null)
        {
            binder.Report(
                kind,
                $"unknown kind of connector '{kind.Raw}' in {path}",
                Spelling.Suggest(kind.Raw, catalog.Definitions.Select(d => d.Kind))
            );
            return null;
        }

        var optionsPath = $"{path}.{kind.Raw}";
        var open = binder.Expander.Open;
        binder.Expander.Begin();
        var bound = BindOptions(binder, definition, options, kind, optionsPath);
        if (bound is null)
            return null;
        var connection = new ConnectionConfiguration(name, definition, bound)
        {
            Secrets = binder.Expander.Values!,
            Read = binder.Expander.Read,
        };
        if (binder.Expander.Open > open)
            return connection;
        ConnectionOptions Bind()
        {
            var reader = newBinder();
            var anew = BindOptions(reader, definition, options, kind, optionsPath);
            return new ConnectionOptions(reader.Count == 0 ? anew : null, reader.Expander.Read, reader.FirstFault);
        }

        return connection with
        {
            Renew = Bind,
        };
    }

    private object? BindOptions(
        SettingsBinder reader,
        ConnectorDefinition definition,
        ConfigNode options,
        ScalarNode kind,
        string path
    )
    {
        (var before, var open) = (reader.Count, reader.Expander.Open);
        var bound = reader.BindObject(definition.OptionsType, options, kind, path);
        if (bound is null || reader.Count > before)
            return null;
        if (reader.Expander.Open > open)
            return bound;
        // Where the file is only checked, on another machine perhaps, the files that it names need not be there.
        var faults = definition.Validate(bound);
        if (!reader.Expander.IsLenient && !isForTestServer)
            faults = faults.Concat(definition.FindMissingFiles(bound, baseDirectory));
        foreach ((var option, var message) in faults)
            reader.ReportAt(bound, option, $"{path}.{option}: {message}", null);
        return bound;
    }
}
