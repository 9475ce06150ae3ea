using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Runner;
using Pipeline.Yaml;

namespace Pipeline.Benchmarks.Etl;

/// <summary>
/// A database in a temporary folder, and the plan of one task that sends each document to a target. It sends documents
/// unchanged unless given a transform. Disposing deletes the folder.
/// </summary>
internal sealed class TaskBench : IAsyncDisposable
{
    private readonly string _folder = Path.Combine(Path.GetTempPath(), $"pipeline-benchmarks-{Environment.ProcessId}");

    /// <summary>
    /// Starts with an empty folder; <paramref name="target"/> is a connection's options, <paramref name="more"/> the
    /// task's.
    /// </summary>
    public TaskBench(
        string target,
        string destination,
        ConnectorCatalog? connectors = null,
        string? transform = null,
        string more = ""
    )
    {
        Folders.Wipe(_folder);
        Plan = PipelineConfiguration
            .Parse(
                $$"""
                version: 1
                database: { name: bench, path: ./data }
                connections: { out: { {{target}} } }
                etl:
                  - { name: forward, from: [Documents], to: out, transform: '{{transform
                    ?? $"send(\"{destination}\", doc, key: id);"}}'{{more}} }
                """,
                Path.Combine(_folder, "pipeline.yaml"),
                EnvironmentVariables.Instance,
                connectors
            )
            .CreatePlan();
        Database = DocumentDatabase.Open(new DatabaseOptions { Path = Path.Combine(_folder, "data") });
    }

    /// <summary>The plan of the task.</summary>
    public EtlPlan Plan { get; }

    /// <summary>The database.</summary>
    public DocumentDatabase Database { get; }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Database.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }
}
