using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Containers;

namespace Pipeline.TestKit.Services;

/// <summary>Services as containers.</summary>
/// <remarks>A container's port is bound to one port of this machine that is chosen beforehand, so that it has the same endpoint after a restart, and so
/// that Kafka can say where it is reached.</remarks>
internal static class Containers
{
    internal static string Reason => "no Docker engine (neither DOCKER_HOST nor /var/run/docker.sock)";

    internal static bool Available { get; } =
        !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("DOCKER_HOST")) || File.Exists("/var/run/docker.sock");

    internal static Task<ITestBroker?> StartKafkaAsync()
    {
        var port = ServiceProcess.FreePorts();
        var builder = new ContainerBuilder(Image("PIPELINE_TEST_KAFKA_IMAGE", "apache/kafka:4.1.0"))
            .WithEnvironment(new Dictionary<string, string>
            {
                ["KAFKA_NODE_ID"] = "1",
                ["KAFKA_PROCESS_ROLES"] = "broker,controller",
                ["KAFKA_CONTROLLER_QUORUM_VOTERS"] = "1@localhost:9093",
                ["KAFKA_CONTROLLER_LISTENER_NAMES"] = "CONTROLLER",
                ["KAFKA_LISTENERS"] = $"PLAINTEXT://0.0.0.0:{port},CONTROLLER://localhost:9093",
                ["KAFKA_ADVERTISED_LISTENERS"] = $"PLAINTEXT://127.0.0.1:{port}",
                ["KAFKA_LISTENER_SECURITY_PROTOCOL_MAP"] = "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
                ["KAFKA_INTER_BROKER_LISTENER_NAME"] = "PLAINTEXT",
                ["KAFKA_NUM_PARTITIONS"] = "3",
                ["KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR"] = "1",
                ["KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR"] = "1",
                ["KAFKA_TRANSACTION_STATE_LOG_MIN_ISR"] = "1",
                ["KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS"] = "0",
                ["KAFKA_AUTO_CREATE_TOPICS_ENABLE"] = "false",
            });
        return StartAsync(builder, port, port, $"127.0.0.1:{port}");
    }

    internal static Task<ITestBroker?> StartRabbitMqAsync()
    {
        var port = ServiceProcess.FreePorts();
        return StartAsync(new ContainerBuilder(Image("PIPELINE_TEST_RABBITMQ_IMAGE", "rabbitmq:4.1")), port, 5672, $"amqp://guest:guest@127.0.0.1:{port}/");
    }

    internal static Task<ITestBroker?> StartAzuriteAsync(Func<string, int, string> connectionString)
    {
        var port = ServiceProcess.FreePorts();
        var builder = new ContainerBuilder(Image("PIPELINE_TEST_AZURITE_IMAGE", "mcr.microsoft.com/azure-storage/azurite:3.35.0"))
            .WithCommand("azurite", "--silent", "--skipApiVersionCheck", "--queueHost", "0.0.0.0");
        return StartAsync(builder, port, 10001, connectionString("127.0.0.1", port));
    }

    private static string Image(string variable, string image) => Environment.GetEnvironmentVariable(variable) is { Length: > 0 } named ? named : image;

    private static async Task<ITestBroker?> StartAsync(ContainerBuilder builder, int port, int inside, string endpoint)
    {
        var container = builder
            .WithPortBinding(port, inside)
            .WithWaitStrategy(Wait.ForUnixContainer().UntilInternalTcpPortIsAvailable(inside))
            .Build();
        var broker = new ContainerBroker(container, endpoint);
        await broker.StartAsync();
        return broker;
    }

    private sealed class ContainerBroker(IContainer container, string endpoint) : ITestBroker
    {
        public string Endpoint => endpoint;

        public string Origin => $"a container of {container.Image.FullName}";

        public bool CanRestart => true;

        public Task StartAsync() => container.StartAsync();

        public Task StopAsync() => container.StopAsync();

        // The engine's own kill is not offered; to a client both are a closed connection.
        public Task KillAsync() => container.StopAsync();

        public ValueTask DisposeAsync() => container.DisposeAsync();
    }
}
