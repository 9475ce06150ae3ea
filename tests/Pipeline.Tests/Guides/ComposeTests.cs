using Pipeline.Configuration;
using Pipeline.TestKit.Files;
using Pipeline.Worker;
using Pipeline.WorkerKit;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Tests.Guides;

/// <summary>The compose files of docker/, and the configurations that they mount. No Docker is needed.</summary>
public sealed class ComposeTests
{
    private const string Configuration = "/etc/pipeline/pipeline.yaml";
    private static readonly ComposeFile Cluster = Read("docker/compose.cluster.yaml");

    private static readonly string[] Paths = ["docker/compose.cluster.yaml", "docker/compose.yaml"];

    public static TheoryData<string> Files => [.. Paths];

    private static List<string> Brokers => [.. Cluster.Services.Where(s => IsImage(s, "apache/kafka"))];

    private static List<string> Nodes => [.. Cluster.Services.Where(s => IsImage(s, "pipeline"))];

    [Fact]
    public void Every_compose_file_is_tested() =>
        Assert.Equal(
            Paths,
            RepositoryTree
                .Files(".yaml", "docker")
                .Select(RepositoryTree.Relative)
                .Where(f => Path.GetFileName(f).StartsWith("compose", StringComparison.Ordinal))
                .Order(StringComparer.Ordinal)
        );

    [Theory]
    [MemberData(nameof(Files))]
    public void What_a_service_names_is_there(string path)
    {
        var file = Read(path);
        var published = new HashSet<string>(StringComparer.Ordinal);
        foreach (var service in file.Services)
        {
            Assert.NotNull(file.Of(service, "image"));
            Assert.All(file.DependenciesOf(service).Keys, d => Assert.Contains(d, file.Services));
            foreach (var (source, _) in file.MountsOf(service))
            {
                if (source.StartsWith('.'))
                    Assert.True(File.Exists(PathOf(file, source)), $"{path}: {service} mounts {source}");
                else
                    Assert.Contains(source, file.Volumes);
            }
            foreach (var port in file.PortsOf(service))
            {
                // The configurations authenticate no clients.
                Assert.StartsWith("127.0.0.1:", port, StringComparison.Ordinal);
                Assert.True(published.Add(port.Split(':')[1]), $"{path}: {port} is published twice");
            }
        }
        Assert.All(
            file.Volumes,
            v => Assert.Contains(file.Services, s => file.MountsOf(s).Any(mount => mount.Source == v))
        );
    }

    [Theory]
    [MemberData(nameof(Files))]
    public async Task The_configurations_of_workers_have_no_faults(string path)
    {
        var file = Read(path);
        var read = 0;
        foreach (var service in file.Services)
        {
            foreach (var (source, _) in file.MountsOf(service).Where(m => m.Target == Configuration))
            {
                var lint = await WorkerRun.InvokeAsync("lint", "--no-variables", PathOf(file, source));
                Assert.True(lint.ExitCode == ExitCodes.Success, $"{service}: {lint.Error}{lint.Out}");
                _ = PipelineConfiguration.Load(PathOf(file, source), new FixedVariables(file.EnvironmentOf(service)));
                read++;
            }
        }
        Assert.True(read > 0);
    }

    [Fact]
    public void The_cluster_has_three_brokers_that_keep_three_copies()
    {
        Assert.Equal(3, Brokers.Count);
        var voters = string.Join(
            ',',
            Brokers.Select(b => $"{Cluster.EnvironmentOf(b)["KAFKA_NODE_ID"]}@{b}:9093").Order(StringComparer.Ordinal)
        );
        foreach (var broker in Brokers)
        {
            var settings = Cluster.EnvironmentOf(broker);
            Assert.Equal(voters, settings["KAFKA_CONTROLLER_QUORUM_VOTERS"]);
            Assert.Equal($"PLAINTEXT://{broker}:9092", settings["KAFKA_ADVERTISED_LISTENERS"]);
            Assert.Equal("3", settings["KAFKA_DEFAULT_REPLICATION_FACTOR"]);
            Assert.Equal("3", settings["KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR"]);
            Assert.Equal("3", settings["KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR"]);
            Assert.Equal("2", settings["KAFKA_MIN_INSYNC_REPLICAS"]);
            Assert.Equal("2", settings["KAFKA_TRANSACTION_STATE_LOG_MIN_ISR"]);
            Assert.Equal("false", settings["KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE"]);
            // All brokers have the same id of the cluster: 16 bytes.
            Assert.Equal(16, Convert.FromBase64String(settings["CLUSTER_ID"] + "==").Length);
            Assert.Equal(settings["CLUSTER_ID"], Cluster.EnvironmentOf(Brokers[0])["CLUSTER_ID"]);
            Assert.NotNull(Cluster.Of(broker, "healthcheck"));
            Assert.Equal(settings["KAFKA_LOG_DIRS"], Assert.Single(Cluster.MountsOf(broker)).Target);
        }
        AssertDistinct(Brokers.Select(b => Cluster.EnvironmentOf(b)["KAFKA_NODE_ID"]));
        AssertDistinct(Brokers.Select(b => Cluster.MountsOf(b)[0].Source));
    }

    [Fact]
    public void The_cluster_has_three_nodes_that_wait_for_all_brokers()
    {
        Assert.Equal(3, Nodes.Count);
        foreach (var node in Nodes)
        {
            var source = Cluster.MountsOf(node).Single(m => m.Target == Configuration).Source;
            var configuration = PipelineConfiguration.Load(
                PathOf(Cluster, source),
                new FixedVariables(Cluster.EnvironmentOf(node))
            );
            var cluster = configuration.Cluster!;
            // Other nodes reach it by the name of its service.
            Assert.Equal((node, node), (cluster.Node, cluster.Url.Host));
            Assert.Equal(configuration.Server.Url.Port, cluster.Url.Port);
            var kafka = cluster.Log.Kafka!;
            Assert.Equal(string.Join(',', Brokers.Select(b => b + ":9092")), kafka.BootstrapServers);
            // The first node creates the topic with three copies. A write needs two of them in sync.
            Assert.True(kafka is { Create: true, AllowFewerCopies: false });
            var waits = Cluster.DependenciesOf(node);
            Assert.Equal(Brokers, waits.Keys);
            Assert.All(waits.Values, c => Assert.Equal("service_healthy", c));
            Assert.NotNull(Cluster.Of(node, "healthcheck"));
            var data = Assert.Single(Cluster.MountsOf(node), m => m.Target == "/data");
            Assert.StartsWith(data.Target + "/", configuration.Database.Path, StringComparison.Ordinal);
        }
        AssertDistinct(Nodes.Select(n => Cluster.MountsOf(n).Single(m => m.Target == "/data").Source));
    }

    private static void AssertDistinct(IEnumerable<string> values)
    {
        var all = values.ToList();
        Assert.Equal(all.Count, all.Distinct(StringComparer.Ordinal).Count());
    }

    private static bool IsImage(string service, string image) =>
        Cluster.Of(service, "image") is string text
        && (text == image || text.Contains(image + ":", StringComparison.Ordinal));

    private static ComposeFile Read(string path) => ComposeFile.Read(Path.Combine(RepositoryTree.Root, path));

    private static string PathOf(ComposeFile file, string source) =>
        Path.GetFullPath(source, Path.GetDirectoryName(file.Path)!);
}
