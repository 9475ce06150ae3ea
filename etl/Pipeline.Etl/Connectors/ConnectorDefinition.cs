using Pipeline.Etl.Configuration;
using Pipeline.Yaml;

namespace Pipeline.Etl.Connectors;

/// <summary>
/// A kind of connector in the configuration: its key in YAML, the type of its options, and a factory.
/// </summary>
/// <remarks>Each connector folder has one public subclass with a parameterless constructor;
/// <see cref="ConnectorCatalog"/> finds them. Adding a connector is adding a folder.</remarks>
public abstract class ConnectorDefinition
{
    /// <summary>The key in YAML, camelCase, for example <c>azureQueues</c>.</summary>
    public abstract string Kind { get; }

    /// <summary>One sentence for the reference page.</summary>
    public abstract string Summary { get; }

    /// <summary>
    /// The options' type: a class with <c>init</c> properties, each with a <see cref="SettingAttribute"/>; a property's
    /// YAML key is its name in camelCase.
    /// </summary>
    public abstract Type OptionsType { get; }

    /// <summary>
    /// Faults of the options that types alone cannot express, as (camelCase key, message). Empty if there are none.
    /// </summary>
    public virtual IEnumerable<(string Key, string Message)> Validate(object options) => [];

    /// <summary>Missing files that the options name, as (camelCase key, message).</summary>
    /// <param name="options">The options.</param>
    /// <param name="baseDirectory">The folder that relative paths start at.</param>
    public virtual IEnumerable<(string Key, string Message)> FindMissingFiles(object options, string baseDirectory) =>
        [];

    /// <summary>
    /// The per-destination options that it maps to its target, of <c>partition</c>, <c>headers</c>, <c>ttl</c>,
    /// <c>delay</c>, <c>dedup</c>. Any other one is a fault at lint.
    /// </summary>
    public virtual IReadOnlyCollection<string> DestinationOptions(object options) => [];

    /// <summary>Faults in the values of one destination's supported options, as (camelCase key, message).</summary>
    public virtual IEnumerable<(string Key, string Message)> ValidateDestination(
        DestinationConfiguration destination
    ) => [];

    /// <summary>
    /// Explains why no target of this kind accepts a destination of this name; <see langword="null"/> if it may. Does
    /// not contact the target.
    /// </summary>
    public virtual string? FindNameFault(object options, string destination) => null;

    /// <summary>Makes the connector. Connects to nothing yet.</summary>
    public abstract IConnector Create(object options, ConnectorContext context);
}

/// <summary>A connector kind whose options are of type <typeparamref name="TOptions"/>.</summary>
/// <typeparam name="TOptions">The options' type.</typeparam>
public abstract class ConnectorDefinition<TOptions> : ConnectorDefinition
    where TOptions : class
{
    /// <inheritdoc/>
    public sealed override Type OptionsType => typeof(TOptions);

    /// <inheritdoc/>
    public sealed override IEnumerable<(string Key, string Message)> Validate(object options) =>
        Validate((TOptions)options);

    /// <inheritdoc/>
    public sealed override IConnector Create(object options, ConnectorContext context) =>
        Create((TOptions)options, context);

    /// <inheritdoc cref="ConnectorDefinition.Validate(object)"/>
    protected virtual IEnumerable<(string Key, string Message)> Validate(TOptions options) => [];

    /// <inheritdoc cref="ConnectorDefinition.Create(object, ConnectorContext)"/>
    protected abstract IConnector Create(TOptions options, ConnectorContext context);
}
