using System.Text;
using Docker.DotNet.Models;
using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Configurations;
using DotNet.Testcontainers.Images;

namespace Pipeline.Testcontainers;

/// <summary>Starts Pipeline workers in containers, by the conventions of Testcontainers for .NET.</summary>
/// <remarks>
/// The image is the one that <c>docker build -f docker/Dockerfile -t pipeline .</c> makes in the repository's root.
/// </remarks>
public sealed class PipelineBuilder : ContainerBuilder<PipelineBuilder, PipelineContainer, PipelineConfiguration>
{
    /// <summary>The port inside the container.</summary>
    public const ushort PipelinePort = 8080;

    /// <summary>The default name of the database.</summary>
    public const string DefaultDatabase = "test";

    private const string ConfigurationFile = "/etc/pipeline/pipeline.yaml";

    /// <summary>Makes a builder.</summary>
    /// <param name="image">The image, for example <c>pipeline</c>.</param>
    public PipelineBuilder(string image)
        : this(new DockerImage(image)) { }

    /// <summary>Makes a builder.</summary>
    /// <param name="image">The image.</param>
    public PipelineBuilder(IImage image)
        : this(new PipelineConfiguration()) =>
        DockerResourceConfiguration = Init().WithImage(image).DockerResourceConfiguration;

    private PipelineBuilder(PipelineConfiguration resourceConfiguration)
        : base(resourceConfiguration) => DockerResourceConfiguration = resourceConfiguration;

    /// <inheritdoc />
    protected override PipelineConfiguration DockerResourceConfiguration { get; }

    /// <summary>
    /// Chooses the database of a worker that has no other configuration; <see cref="WithConfiguration"/> is to be
    /// called with the name that its file has.
    /// </summary>
    /// <param name="database">Letters, digits, <c>-</c>, <c>_</c> and <c>.</c>.</param>
    /// <returns>A builder with it.</returns>
    public PipelineBuilder WithDatabase(string database) =>
        WithConfiguration(
            database,
            $$"""
            version: 1
            database: { name: {{database}}, path: /data }
            server: { url: "http://0.0.0.0:{{PipelinePort}}", allowInsecure: true }
            """
        );

    /// <summary>
    /// Gives the worker a whole configuration. It must keep its data in <c>/data</c> and listen on
    /// <c>http://0.0.0.0:8080</c>.
    /// </summary>
    /// <param name="database">The name of its database.</param>
    /// <param name="yaml">The text of its <c>pipeline.yaml</c>.</param>
    /// <returns>A builder with it.</returns>
    public PipelineBuilder WithConfiguration(string database, string yaml) =>
        Merge(DockerResourceConfiguration, new PipelineConfiguration(database))
            .WithResourceMapping(Encoding.UTF8.GetBytes(yaml), ConfigurationFile);

    /// <inheritdoc />
    public override PipelineContainer Build()
    {
        Validate();
        return new PipelineContainer(DockerResourceConfiguration);
    }

    /// <inheritdoc />
    protected override PipelineBuilder Init() =>
        base.Init()
            .WithPortBinding(PipelinePort, true)
            .WithDatabase(DefaultDatabase)
            .WithConnectionStringProvider(new PipelineConnectionStringProvider())
            .WithWaitStrategy(
                Wait.ForUnixContainer()
                    .UntilHttpRequestIsSucceeded(request => request.ForPort(PipelinePort).ForPath("/health/ready"))
            );

    /// <inheritdoc />
    protected override PipelineBuilder Clone(IResourceConfiguration<CreateContainerParameters> resourceConfiguration) =>
        Merge(DockerResourceConfiguration, new PipelineConfiguration(resourceConfiguration));

    /// <inheritdoc />
    protected override PipelineBuilder Clone(IContainerConfiguration resourceConfiguration) =>
        Merge(DockerResourceConfiguration, new PipelineConfiguration(resourceConfiguration));

    /// <inheritdoc />
    protected override PipelineBuilder Merge(PipelineConfiguration oldValue, PipelineConfiguration newValue) =>
        new(new PipelineConfiguration(oldValue, newValue));
}
