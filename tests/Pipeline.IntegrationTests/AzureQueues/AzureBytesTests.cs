using System.Text;
using System.Text.Json;
using Azure.Storage.Blobs;
using Azure.Storage.Queues;
using Azure.Storage.Queues.Models;
using Pipeline.Etl.Connectors.AzureQueues;
using Pipeline.IntegrationTests.Samples;
using Xunit;
using static Pipeline.IntegrationTests.Sinks;

namespace Pipeline.IntegrationTests.AzureQueues;

/// <summary>
/// The bytes in queues and blobs, as Azure's client for .NET reads them. Consumers depend on them, so they must not
/// change with the library.
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class AzureBytesTests(Services services)
{
    private const string Event =
        """{"specversion":"1.0","id":"db/task/1/0","source":"shop/Orders","type":"order.changed","subject":"orders/1","time":"2026-11-21T10:30:00.001Z","datacontenttype":"application/json","partitionkey":"k","data":{"n":1,"text":"Ærø \u2713 \"quoted\" <&>"}}""";

    [SkippableTheory]
    [InlineData(AzureQueueEncoding.Base64)]
    [InlineData(AzureQueueEncoding.None)]
    public async Task A_message_is_the_events_JSON_in_the_connections_encoding(AzureQueueEncoding encoding)
    {
        var connection = (await services.AzureQueues.UseAsync()).Endpoint;
        var queue = NewName("bytes");
        await using var connector = Connector(
            new AzureQueuesOptions { ConnectionString = connection, Encoding = encoding }
        );
        await using var sink = Sink(connector);
        await sink.ConnectAsync(default);
        Assert.Empty(await sink.SendAsync(Messages.Batch([Messages.Make(queue, 1, "k")]), default));

        var raw = await ReadAsync(connection, queue, QueueMessageEncoding.None);
        Assert.Equal(
            encoding == AzureQueueEncoding.Base64 ? Convert.ToBase64String(Encoding.UTF8.GetBytes(Event)) : Event,
            raw.ToString()
        );
        if (encoding == AzureQueueEncoding.Base64)
            Assert.Equal(Event, (await ReadAsync(connection, queue, QueueMessageEncoding.Base64)).ToString());
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_claimed_body_is_a_blob_of_the_same_bytes_and_type_that_the_event_names(bool signed)
    {
        var connection = await AzureFunctionTests.ConnectionAsync(services);
        var queue = NewName("claims");
        await using var connector = Connector(
            new AzureQueuesOptions
            {
                ConnectionString = signed ? Signed(connection) : connection,
                Oversize = AzureQueueOversize.ClaimCheck,
                ClaimContainer = NewName("claims"),
            }
        );
        await using var sink = Sink(connector);
        await sink.ConnectAsync(default);
        var message = Messages.Make(queue, 1, "k", $"\"{new string('x', 70_000)}ø\"");
        Assert.Empty(await sink.SendAsync(Messages.Batch([message]), default));

        var claim = (await ReadAsync(connection, queue, QueueMessageEncoding.Base64)).ToObjectFromJson<JsonElement>();
        Assert.False(claim.TryGetProperty("data", out _));
        var address = new BlobUriBuilder(new Uri(claim.GetProperty("dataref").GetString()!));
        Assert.Equal("", address.ToUri().Query);
        var blob = new BlobServiceClient(
            connection,
            new BlobClientOptions(BlobClientOptions.ServiceVersion.V2021_12_02)
        )
            .GetBlobContainerClient(address.BlobContainerName)
            .GetBlobClient(address.BlobName);
        var content = (await blob.DownloadContentAsync()).Value;
        Assert.Equal(message.Body.ToArray(), content.Content.ToArray());
        Assert.Equal("application/json", content.Details.ContentType);
    }

    /// <summary>The connection string with a shared access signature of the account in place of its key.</summary>
    private static string Signed(string connection)
    {
        var queues = new QueueServiceClient(connection);
        var builder = new Azure.Storage.Sas.AccountSasBuilder(
            Azure.Storage.Sas.AccountSasPermissions.All,
            DateTimeOffset.UtcNow.AddHours(1),
            Azure.Storage.Sas.AccountSasServices.Queues | Azure.Storage.Sas.AccountSasServices.Blobs,
            Azure.Storage.Sas.AccountSasResourceTypes.All
        );
        var signature = queues.GenerateAccountSasUri(builder).Query;
        return $"QueueEndpoint={queues.Uri};BlobEndpoint={new BlobServiceClient(connection).Uri};SharedAccessSignature={signature}";
    }

    private static async Task<BinaryData> ReadAsync(string connection, string queue, QueueMessageEncoding encoding)
    {
        var client = new QueueClient(
            connection,
            queue,
            new QueueClientOptions(QueueClientOptions.ServiceVersion.V2021_12_02) { MessageEncoding = encoding }
        );
        PeekedMessage message = await client.PeekMessageAsync();
        return message.Body;
    }
}
