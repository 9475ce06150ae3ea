using Docker.DotNet.Models;
using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Configurations;

namespace Pipeline.Testcontainers;

/// <inheritdoc cref="ContainerConfiguration" />
public sealed class PipelineConfiguration : ContainerConfiguration
{
    /// <summary>Makes a configuration.</summary>
    /// <param name="database">The name of the worker's database.</param>
    public PipelineConfiguration(string? database = null) => Database = database;

    /// <summary>Makes a configuration of another.</summary>
    /// <param name="resourceConfiguration">The Docker resource configuration.</param>
    public PipelineConfiguration(IResourceConfiguration<CreateContainerParameters> resourceConfiguration)
        : base(resourceConfiguration) { }

    /// <summary>Makes a configuration of another.</summary>
    /// <param name="resourceConfiguration">The Docker resource configuration.</param>
    public PipelineConfiguration(IContainerConfiguration resourceConfiguration)
        : base(resourceConfiguration) { }

    /// <summary>Makes a copy.</summary>
    /// <param name="resourceConfiguration">The Docker resource configuration.</param>
    public PipelineConfiguration(PipelineConfiguration resourceConfiguration)
        : this(new PipelineConfiguration(), resourceConfiguration) { }

    /// <summary>Combines two configurations.</summary>
    /// <param name="oldValue">The base configuration.</param>
    /// <param name="newValue">The configuration whose values, if set, take precedence.</param>
    public PipelineConfiguration(PipelineConfiguration oldValue, PipelineConfiguration newValue)
        : base(oldValue, newValue) => Database = BuildConfiguration.Combine(oldValue?.Database, newValue?.Database);

    /// <summary>The name of the worker's database.</summary>
    public string? Database { get; }
}
