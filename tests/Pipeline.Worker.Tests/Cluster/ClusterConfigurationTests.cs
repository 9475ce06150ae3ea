using Pipeline.Configuration;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>The section <c>cluster</c>: its values, and each fault with its place and remedy.</summary>
public sealed class ClusterConfigurationTests
{
    private static readonly FixedVariables Variables = new(
        new Dictionary<string, string> { ["HOST"] = "n1", ["SECRET"] = "s3cret" }
    );

    [Fact]
    public void A_node_over_a_folder_is_read_with_its_path_made_absolute()
    {
        var cluster = Parse(
            """
            cluster:
              name: shop
              node: ${HOST}
              url: http://127.0.0.1:8081
              reads: follower
              log: { directory: ./log }
            """
        ).Cluster!;
        Assert.Equal(("shop", "n1", ClusterReads.Follower), (cluster.Name, cluster.Node, cluster.Reads));
        Assert.Equal(Path.GetFullPath("log", Path.GetFullPath("conf")), cluster.Log.Directory);
        Assert.Null(cluster.Log.Kafka);
    }

    [Fact]
    public void A_node_over_Kafka_has_the_options_of_a_connection()
    {
        var kafka = Parse(
            """
            cluster:
              name: shop
              node: n1
              url: http://127.0.0.1:8081
              log:
                kafka:
                  bootstrapServers: "k1:9092,k2:9092"
                  topic: shop-log
                  allowFewerCopies: true
                  securityProtocol: saslPlaintext
                  saslMechanism: scramSha512
                  saslUsername: pipeline
                  saslPassword: ${SECRET}
                  compression: zstd
                  properties: { socket.keepalive.enable: "true" }
            """
        ).Cluster!.Log.Kafka!;
        Assert.Equal(("shop-log", true), (kafka.Topic, kafka.AllowFewerCopies));
        Assert.Equal(("pipeline", "s3cret"), (kafka.SaslUsername, kafka.SaslPassword));
        Assert.Equal("k1:9092,k2:9092", kafka.BootstrapServers);
        Assert.Single(kafka.Properties);
    }

    [Theory]
    [InlineData("{ node: n1, url: \"http://127.0.0.1:8081\", log: { directory: l } }", "cluster.name is missing")]
    [InlineData(
        "{ name: shop, node: n 1, url: \"http://127.0.0.1:8081\", log: { directory: l } }",
        "3:30: cluster.node must be of letters, digits, '-', '_' and '.', at most 64"
    )]
    [InlineData(
        "{ name: shop, node: n1, url: \"ftp://127.0.0.1\", log: { directory: l } }",
        "3:39: cluster.url must begin with http:// or https://"
    )]
    [InlineData(
        "{ name: shop, node: n1, url: \"https://127.0.0.1:8081\", log: { directory: l } }",
        "but server.url begins with http://; write http:// in both"
    )]
    [InlineData(
        "{ name: shop, node: n1, url: \"http://0.0.0.0:8081\", log: { directory: l } }",
        "which no other machine can call; name this machine's address or host name"
    )]
    [InlineData(
        "{ name: shop, node: n1, url: \"http://127.0.0.1:8081/db\", log: { directory: l } }",
        "cluster.url ends with the port"
    )]
    [InlineData(
        "{ name: shop, node: n1, url: \"http://127.0.0.1:8081\", log: {} }",
        "cluster.log must name one kind of log; one of: kafka, directory"
    )]
    [InlineData(
        "{ name: shop, node: n1, url: \"http://127.0.0.1:8081\", log: { directory: l, kafka: { bootstrapServers: k } } }",
        "cannot stand together with 'directory'"
    )]
    [InlineData(
        "{ name: shop, node: n1, url: \"http://127.0.0.1:8081\", log: { directry: l } }",
        "unknown key 'directry' in cluster.log; did you mean 'directory'?"
    )]
    [InlineData(
        "{ name: shop, node: n1, url: \"http://127.0.0.1:8081\", log: { kafka: { bootstrapServers: \"k:0\" } } }",
        "cluster.log.kafka.bootstrapServers: 'k:0' has no port between 1 and 65535"
    )]
    [InlineData(
        "{ name: shop, node: n1, url: \"http://127.0.0.1:8081\", log: { kafka: { bootstrapServers: k, topic: \"a b\" } } }",
        "cluster.log.kafka.topic: 'a b' is not a topic's name"
    )]
    [InlineData(
        "{ name: shop, node: n1, url: \"http://127.0.0.1:8081\", log: { kafka: { bootstrapServers: k, saslUsername: u } } }",
        "cluster.log.kafka.saslUsername: is not used with securityProtocol plaintext"
    )]
    [InlineData(
        "{ name: shop, node: n1, url: \"http://127.0.0.1:8081\", log: { kafka: { bootstrapServers: k, properties: { acks: \"0\" } } } }",
        "'acks' cannot be set here"
    )]
    [InlineData(
        "{ name: shop, node: n1, url: \"http://127.0.0.1:8081\", log: { directory: l }, certificates: [abc] }",
        "cluster.certificates needs TLS between the nodes"
    )]
    public void A_fault_is_told_with_its_place_and_remedy(string cluster, string message)
    {
        var refused = Assert.Throws<ConfigurationException>(() => Parse("cluster: " + cluster));
        Assert.Contains(
            refused.Diagnostics,
            d => d.ToString().Contains(message, StringComparison.Ordinal) && d.Line == 3
        );
    }

    [Fact]
    public void Encryption_at_rest_needs_a_key_for_the_log()
    {
        var refused = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(
                """
                version: 1
                database: { name: shop, path: ./data, encryption: { keyVariable: HOST } }
                cluster: { name: shop, node: n1, url: "http://127.0.0.1:8081", log: { directory: l } }
                """,
                "conf/pipeline.yaml",
                Variables
            )
        );
        Assert.Contains("database.encryption needs cluster.log.encryption", refused.Message, StringComparison.Ordinal);
        Assert.Contains("pipeline.yaml:3:", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_key_of_the_log_has_one_source_and_its_file_is_relative_to_the_configuration()
    {
        var log = Parse(
            """cluster: { name: shop, node: n1, url: "http://127.0.0.1:8081", log: { directory: l, encryption: { keyFile: log.key } } }"""
        ).Cluster!.Log;
        Assert.Equal(Path.GetFullPath("log.key", Path.GetFullPath("conf")), log.Encryption!.KeyFile);
        var refused = Assert.Throws<ConfigurationException>(() =>
            Parse(
                """cluster: { name: shop, node: n1, url: "http://127.0.0.1:8081", log: { directory: l, encryption: { } } }"""
            )
        );
        Assert.Contains(
            "cluster.log.encryption must name one source of the key, found 0",
            refused.Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void The_node_of_a_backup_is_a_name_and_needs_a_cluster()
    {
        const string Cluster = """
            cluster: { name: shop, node: n1, url: "http://127.0.0.1:8081", log: { directory: l } }

            """;
        Assert.Equal("leader", ToDefinition("backups: [ { name: b, to: { folder: f } } ]").Node);
        Assert.Equal("n2", ToDefinition("backups: [ { name: b, node: n2, to: { folder: f } } ]").Node);
        Refused(Cluster + "backups: [ { name: b, node: n 2, to: { folder: f } } ]", "4:29: a node's name must be of");
        Refused(
            "backups: [ { name: b, node: follower, to: { folder: f } } ]",
            "3:29: node has no effect without the section 'cluster'"
        );

        static Pipeline.Backups.BackupDefinition ToDefinition(string backups) =>
            Assert.Single(Parse(Cluster + backups).Backups).ToDefinition();

        static void Refused(string yaml, string fault) =>
            Assert.Contains(
                fault,
                Assert.Throws<ConfigurationException>(() => Parse(yaml)).Message,
                StringComparison.Ordinal
            );
    }

    private static PipelineConfiguration Parse(string cluster) =>
        PipelineConfiguration.Parse(
            $"version: 1\ndatabase: {{ name: shop, path: ./data }}\n{cluster}\n",
            "conf/pipeline.yaml",
            Variables
        );
}
