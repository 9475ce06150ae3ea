using System.CommandLine;
using Pipeline.Configuration;
using Pipeline.Etl.Connectors;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline schema</c>: writes the JSON Schema of pipeline.yaml, for editors.</summary>
internal sealed class SchemaCommand : WorkerCommand
{
    private readonly Option<string?> _output = new("--output", "-o")
    {
        Description = "Write it to this file.",
        HelpName = "FILE",
    };

    public SchemaCommand()
        : base(
            "schema",
            "Print the JSON Schema of pipeline.yaml (draft-07); with '# yaml-language-server: $schema=FILE' as the first line of a pipeline.yaml, editors complete and check it."
        )
    {
        Add(_output);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var schema = ConfigurationSchema.ToJson(ConnectorCatalog.BuiltIn);
        if (run.Parsed.GetValue(_output) is { } file)
            await File.WriteAllTextAsync(file, schema, cancellationToken).ConfigureAwait(false);
        else
            await run.Console.Out.WriteAsync(schema.AsMemory(), cancellationToken).ConfigureAwait(false);
        return ExitCodes.Success;
    }
}
