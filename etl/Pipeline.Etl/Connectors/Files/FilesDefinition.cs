using Pipeline.Etl.Configuration;

namespace Pipeline.Etl.Connectors.Files;

/// <summary>The kind <c>files</c>: JSON lines in a folder, without a broker.</summary>
public sealed class FilesDefinition : ConnectorDefinition<FilesOptions>
{
    /// <inheritdoc/>
    public override string Kind => "files";

    /// <inheritdoc/>
    public override string Summary =>
        "Appends messages to 'DIRECTORY/DESTINATION.jsonl', one CloudEvent in structured JSON per line ('data' is the body). Files are synced before a batch is confirmed.";

    /// <inheritdoc/>
    protected override IEnumerable<(string Key, string Message)> Validate(FilesOptions options)
    {
        if (string.IsNullOrWhiteSpace(options.Directory))
            yield return ("directory", "is empty; name a folder");
    }

    /// <inheritdoc/>
    public override IReadOnlyCollection<string> DestinationOptions(object options) => ["headers"];

    /// <inheritdoc/>
    public override IEnumerable<(string Key, string Message)> ValidateDestination(
        DestinationConfiguration destination
    ) => CloudEventJson.FindFaults(destination);

    /// <inheritdoc/>
    public override string? FindNameFault(object options, string destination) => FilesSink.FindNameFault(destination);

    /// <inheritdoc/>
    protected override IConnector Create(FilesOptions options, ConnectorContext context) =>
        new FilesConnector(options, context);
}
