namespace Pipeline.Etl.Connectors;

/// <summary>The connector kinds that this program has, found by type. Immutable and thread-safe.</summary>
public sealed class ConnectorCatalog
{
    private readonly Dictionary<string, ConnectorDefinition> _byKind;

    /// <summary>Makes a catalogue of the given kinds.</summary>
    /// <exception cref="ArgumentException">Two definitions have one kind.</exception>
    public ConnectorCatalog(IEnumerable<ConnectorDefinition> definitions)
    {
        _byKind = definitions.ToDictionary(d => d.Kind, StringComparer.Ordinal);
    }

    /// <summary>Every kind in this assembly.</summary>
    public static ConnectorCatalog BuiltIn { get; } =
        new(
            typeof(ConnectorCatalog)
                .Assembly.GetTypes()
                .Where(t => !t.IsAbstract && t.IsSubclassOf(typeof(ConnectorDefinition)))
                .Select(t => (ConnectorDefinition)Activator.CreateInstance(t)!)
        );

    /// <summary>The kinds, in the order of their names.</summary>
    public IEnumerable<ConnectorDefinition> Definitions => _byKind.Values.OrderBy(d => d.Kind, StringComparer.Ordinal);

    /// <summary>The kind of that name, or <see langword="null"/>.</summary>
    public ConnectorDefinition? Find(string kind) => _byKind.GetValueOrDefault(kind);
}
