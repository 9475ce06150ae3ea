using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Configuration;

/// <summary>One entry of <c>connections</c>.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Definition">Its kind.</param>
/// <param name="Options">Its options, of the definition's <see cref="ConnectorDefinition.OptionsType"/>. May hold secrets: never print it.</param>
public sealed record ConnectionConfiguration(string Name, ConnectorDefinition Definition, object Options)
{
    /// <summary>Makes the connector. Connects to nothing yet.</summary>
    public IConnector Create(ConnectorContext context) => Definition.Create(Options, context);

    /// <summary>Name and kind, without the options.</summary>
    public override string ToString() => $"{Name} ({Definition.Kind})";
}
