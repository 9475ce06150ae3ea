using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Containers;
using Testcontainers.Kafka;
using Testcontainers.RabbitMq;

namespace Pipeline.TestKit.Services;

/// <summary>Services as containers.</summary>
/// <remarks>
/// A container's port is bound to a chosen port of this machine, so that its endpoint stays the same after a restart.
/// </remarks>
internal static class Containers
{
    internal static string Reason => "no Docker engine (neither DOCKER_HOST nor /var/run/docker.sock)";

    internal static bool Available { get; } =
        !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("DOCKER_HOST")) || File.Exists("/var/run/docker.sock");

    internal static Task<ITestBroker?> StartKafkaAsync()
    {
        var port = FreePorts.Find();
        var container = new KafkaBuilder(Image("PIPELINE_TEST_KAFKA_IMAGE", "apache/kafka:4.1.0"))
            .WithPortBinding(port, KafkaBuilder.KafkaPort)
            .WithEnvironment("KAFKA_NUM_PARTITIONS", "3")
            .WithEnvironment("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false")
            .Build();
        return StartAsync(container, $"127.0.0.1:{port}");
    }

    internal static Task<ITestBroker?> StartRabbitMqAsync()
    {
        var port = FreePorts.Find();
        var container = new RabbitMqBuilder(Image("PIPELINE_TEST_RABBITMQ_IMAGE", "rabbitmq:4.1"))
            .WithUsername("guest")
            .WithPassword("guest")
            .WithPortBinding(port, RabbitMqBuilder.RabbitMqPort)
            .Build();
        return StartAsync(container, $"amqp://guest:guest@127.0.0.1:{port}/");
    }

    // The feed has no module for Azurite.
    internal static Task<ITestBroker?> StartAzuriteAsync(Func<string, int, string> connectionString)
    {
        const int QueuePort = 10001;
        var port = FreePorts.Find();
        var container = new ContainerBuilder(
            Image("PIPELINE_TEST_AZURITE_IMAGE", "mcr.microsoft.com/azure-storage/azurite:3.35.0")
        )
            .WithCommand("azurite", "--silent", "--skipApiVersionCheck", "--queueHost", "0.0.0.0")
            .WithPortBinding(port, QueuePort)
            .WithWaitStrategy(Wait.ForUnixContainer().UntilInternalTcpPortIsAvailable(QueuePort))
            .Build();
        return StartAsync(container, connectionString("127.0.0.1", port));
    }

    private static string Image(string variable, string image) =>
        Environment.GetEnvironmentVariable(variable) is { Length: > 0 } named ? named : image;

    private static async Task<ITestBroker?> StartAsync(IContainer container, string endpoint)
    {
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
