using DotNet.Testcontainers.Containers;

namespace Pipeline.Testcontainers;

/// <summary>A Pipeline worker in a container.</summary>
public sealed class PipelineContainer : DockerContainer
{
    private readonly PipelineConfiguration _configuration;

    /// <summary>Makes one; <see cref="PipelineBuilder.Build"/> does.</summary>
    /// <param name="configuration">What it is made with.</param>
    public PipelineContainer(PipelineConfiguration configuration)
        : base(configuration) => _configuration = configuration;

    /// <summary>The name of the worker's database.</summary>
    public string Database => _configuration.Database!;

    /// <summary>The address for clients, RavenDB's among them, and browsers.</summary>
    /// <returns>An address that is good once the container has started.</returns>
    public string GetConnectionString() =>
        new UriBuilder(Uri.UriSchemeHttp, Hostname, GetMappedPublicPort(PipelineBuilder.PipelinePort)).Uri.GetLeftPart(
            UriPartial.Authority
        );
}
