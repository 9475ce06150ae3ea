using DotNet.Testcontainers.Configurations;

namespace Pipeline.Testcontainers;

/// <summary>
/// Provides the address of a <see cref="PipelineContainer"/> to those who ask by the conventions of Testcontainers.
/// </summary>
internal sealed class PipelineConnectionStringProvider
    : ContainerConnectionStringProvider<PipelineContainer, PipelineConfiguration>
{
    /// <inheritdoc />
    protected override string GetHostConnectionString() => Container.GetConnectionString();
}
