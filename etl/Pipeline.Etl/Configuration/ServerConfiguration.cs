using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Configuration;

/// <summary>The block <c>server</c>.</summary>
public sealed class ServerConfiguration
{
    /// <summary>Where the worker listens.</summary>
    [Setting("Address that the worker answers HTTP on (health, metrics).")]
    public Uri Url { get; init; } = new("http://127.0.0.1:8080");
}
