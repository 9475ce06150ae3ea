using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.IntegrationTests;

/// <summary>
/// The brokers that all tests of this assembly share, each started by the first test that asks for it and stopped at
/// the end.
/// </summary>
public sealed class Services : IAsyncLifetime
{
    public KafkaService Kafka { get; } = new();

    public RabbitMqService RabbitMq { get; } = new();

    public AzureQueueService AzureQueues { get; } = new();

    public AzureBlobService AzureBlobs { get; } = new();

    public S3Service S3 { get; } = new();

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        await Kafka.DisposeAsync();
        await RabbitMq.DisposeAsync();
        await AzureQueues.DisposeAsync();
        await AzureBlobs.DisposeAsync();
        await S3.DisposeAsync();
    }
}

/// <summary>Tests that share brokers, one after the other.</summary>
[CollectionDefinition(Name)]
public sealed class BrokerTests : ICollectionFixture<Services>
{
    public const string Name = "brokers";
}

/// <summary>Tests that start and stop their own brokers. They mostly wait, so they run in parallel with other tests.</summary>
[CollectionDefinition(Name)]
public sealed class BrokerOutages : ICollectionFixture<Services>
{
    public const string Name = "outages";
}
