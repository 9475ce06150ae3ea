using System.Xml.Linq;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Tests.Rules;

/// <summary>
/// The arrows of the architecture point down only, and each broker's client library stays behind its connector.
/// </summary>
public sealed class DependencyRules
{
    /// <summary>Lowest first: a project may reference those before it, and no others.</summary>
    private static readonly string[] Storeys =
    [
        "Pipeline.Client.Analyzers",
        "Pipeline.Client",
        "Pipeline.Storage",
        "Pipeline.Indexing",
        "Pipeline.Json",
        "Pipeline.Scripting",
        "Pipeline.JavaScript",
        "Pipeline.Documents",
        "Pipeline.Cluster",
        "Pipeline.Database",
        "Pipeline.Subscriptions",
        "Pipeline.Client.Embedded",
        "Pipeline.Server",
        "Pipeline.AzureStorage",
        "Pipeline.Backups",
        "Pipeline.Yaml",
        "Pipeline.Etl",
        "Pipeline.KafkaLog",
        "Pipeline.Configuration",
        "Pipeline.Runner",
        "Pipeline.Akka.Persistence",
        "Pipeline.Akka.Sharding",
        "Pipeline.Hosting",
        "Pipeline.Testing",
        "Pipeline.Worker",
        "Pipeline.Tool",
    ];

    [Fact]
    public void Projects_reference_only_lower_storeys()
    {
        var shipped = RepositoryTree
            .Files(".csproj")
            .Where(f => Storeys.Contains(Path.GetFileNameWithoutExtension(f)))
            .ToList();
        Assert.True(shipped.Count >= 5, "the shipped projects were not found");
        foreach (var file in shipped)
        {
            var storey = Array.IndexOf(Storeys, Path.GetFileNameWithoutExtension(file));
            foreach (var reference in XDocument.Load(file).Descendants("ProjectReference"))
            {
                var target = Path.GetFileNameWithoutExtension(
                    ((string)reference.Attribute("Include")!).Replace('\\', '/')
                );
                var at = Array.IndexOf(Storeys, target);
                Assert.True(
                    at >= 0 && at < storey,
                    $"{RepositoryTree.Relative(file)} references {target}, which is not below it"
                );
            }
        }
    }

    [Theory]
    [InlineData("Confluent.Kafka", "etl/Pipeline.Etl/Connectors/Kafka/", "etl/Pipeline.KafkaLog/")]
    [InlineData("RabbitMQ.Client", "etl/Pipeline.Etl/Connectors/RabbitMq/")]
    [InlineData("Azure.Storage.Queues", "etl/Pipeline.Etl/Connectors/AzureQueues/")]
    [InlineData(
        "Azure.Storage.Blobs",
        "etl/Pipeline.Etl/Connectors/AzureQueues/",
        "backups/Pipeline.AzureStorage/",
        "backups/Pipeline.Backups/Destinations/"
    )]
    [InlineData(
        "Azure.Core",
        "etl/Pipeline.Etl/Connectors/AzureQueues/",
        "backups/Pipeline.AzureStorage/",
        "backups/Pipeline.Backups/Destinations/"
    )]
    [InlineData("Azure.Identity", "backups/Pipeline.AzureStorage/")]
    [InlineData("Amazon", "backups/Pipeline.Backups/Destinations/")]
    [InlineData("Quartz", "backups/Pipeline.Backups/Scheduling/")]
    [InlineData("YamlDotNet", "etl/Pipeline.Yaml/Nodes/")]
    [InlineData("NetTopologySuite", "engine/Pipeline.Database/Queries/Binding/")]
    [InlineData("Microsoft.CodeAnalysis", "engine/Pipeline.Scripting/", "client/Pipeline.Client.Analyzers/")]
    [InlineData("Jint", "engine/Pipeline.JavaScript/")]
    [InlineData("Spectre.Console", "worker/Pipeline.Worker/")]
    [InlineData("System.CommandLine", "worker/Pipeline.Worker/")]
    public void A_library_is_used_in_its_one_folder(string library, params string[] folders)
    {
        var users = ShippedSources()
            .Where(f => File.ReadLines(f).Any(l => l.Contains("using " + library, StringComparison.Ordinal)))
            .Select(RepositoryTree.Relative)
            .ToList();
        Assert.NotEmpty(users);
        Assert.All(users, user => Assert.Contains(folders, f => user.StartsWith(f, StringComparison.Ordinal)));
    }

    [Fact]
    public void One_connector_never_names_another()
    {
        var connectors = Directory
            .GetDirectories(Path.Combine(RepositoryTree.Root, "etl/Pipeline.Etl/Connectors"))
            .Select(Path.GetFileName)
            .ToList();
        Assert.True(connectors.Count >= 4, "four connectors are built in");
        foreach (var own in connectors)
        {
            foreach (var file in RepositoryTree.Files(".cs", $"etl/Pipeline.Etl/Connectors/{own}"))
            {
                var text = File.ReadAllText(file);
                foreach (var other in connectors.Where(c => c != own))
                {
                    Assert.False(
                        text.Contains($"Connectors.{other}", StringComparison.Ordinal),
                        $"{RepositoryTree.Relative(file)} names {other}"
                    );
                }
            }
        }
    }

    [Fact]
    public void Unsafe_code_stays_in_storage_and_indexing()
    {
        foreach (
            var file in RepositoryTree
                .Files(".csproj")
                .Where(f => Storeys.Contains(Path.GetFileNameWithoutExtension(f)))
        )
        {
            var allowed = Path.GetFileNameWithoutExtension(file) is "Pipeline.Storage" or "Pipeline.Indexing";
            var unsafeBlocks = XDocument.Load(file).Descendants("AllowUnsafeBlocks").Any();
            Assert.True(allowed || !unsafeBlocks, $"{RepositoryTree.Relative(file)} allows unsafe code");
        }
    }

    private static IEnumerable<string> ShippedSources() =>
        new[] { "client", "engine", "subscriptions", "backups", "etl", "worker" }.SelectMany(top =>
            RepositoryTree.Files(".cs", top)
        );
}
