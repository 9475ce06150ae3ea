using Pipeline.Client;

namespace Pipeline.Hosting;

/// <summary>
/// How a worker runs within a host. The configuration section <c>Pipeline</c>, or <c>Pipeline:KEY</c> for a worker with
/// a key, sets the first four members; code wins over it. Read once, at the start.
/// </summary>
public sealed class PipelineHostOptions
{
    /// <summary>The configuration file. A relative path starts at the host's content root.</summary>
    public string ConfigurationFile { get; set; } = "pipeline.yaml";

    /// <summary>
    /// The data folder, instead of the file's <c>database.path</c>. A relative path starts at the host's content root.
    /// </summary>
    public string? DataFolder { get; set; }

    /// <summary>Whether the worker's databases exist only in memory, until the host stops.</summary>
    public bool InMemory { get; set; }

    /// <summary>
    /// Whether the worker listens on the file's <c>server.url</c>. Default false: <c>MapPipeline</c> needs no port.
    /// RavenDB's subscriptions over TCP need it.
    /// </summary>
    public bool Listens { get; set; }

    /// <summary>How the injected store maps classes to documents.</summary>
    public DocumentStoreOptions? Store { get; set; }
}
