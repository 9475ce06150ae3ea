using Pipeline.Yaml;
using Pipeline.Yaml.Secrets;

namespace Pipeline.Etl.Connectors;

/// <summary>One entry of <c>connections</c>.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Definition">Its kind.</param>
/// <param name="Options">
/// Its options, of the definition's <see cref="ConnectorDefinition.OptionsType"/>. May hold secrets: never print it.
/// </param>
public sealed record ConnectionConfiguration(string Name, ConnectorDefinition Definition, object Options)
{
    /// <summary>The values that must not be printed; empty if the options were created in code.</summary>
    internal SecretValues Secrets { get; init; } = new();

    /// <summary>The variables and secrets that the options were made with.</summary>
    internal IReadOnlyDictionary<string, string> Read { get; init; } = new Dictionary<string, string>();

    /// <summary>
    /// Reads the options again, with the current variables and secrets; <see langword="null"/> if the options were made
    /// in code.
    /// </summary>
    internal Func<ConnectionOptions>? Renew { get; init; }

    /// <summary>Makes the connector. Connects to nothing yet. When it reconnects, and when the file of a secret
    /// changes, it takes the secrets current then; its errors and logs hold none.</summary>
    public IConnector Create(ConnectorContext context) => new RotatingConnector(this, context);

    /// <summary>
    /// Explains why the connection never accepts a destination of this name; <see langword="null"/> if it may.
    /// </summary>
    internal string? FindNameFault(string destination) =>
        Definition.FindNameFault(Options, destination) is { } fault
            ? $"connection '{Name}' ({Definition.Kind}) never takes messages for '{destination}': {fault}"
            : null;

    /// <summary>Name and kind, without the options.</summary>
    public override string ToString() => $"{Name} ({Definition.Kind})";
}

/// <summary>A connection's current options.</summary>
/// <param name="Options">The options; <see langword="null"/> if they now have a fault.</param>
/// <param name="Read">Every variable and secret that is in them, with its value.</param>
/// <param name="Fault">The fault.</param>
internal sealed record ConnectionOptions(object? Options, IReadOnlyDictionary<string, string> Read, Diagnostic? Fault);
