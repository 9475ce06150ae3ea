using System.Net;
using System.Text;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.AzureQueues;
using Xunit;

namespace Pipeline.Etl.Tests.Connectors.AzureQueues;

/// <summary>
/// How a task treats the service's answers. Azure's library tries once; the task decides whether to retry, waits,
/// counts and reports it.
/// </summary>
public sealed class AzureQueueClientTests
{
    [Theory]
    [InlineData(HttpStatusCode.ServiceUnavailable, true)]
    [InlineData(HttpStatusCode.TooManyRequests, true)]
    [InlineData(HttpStatusCode.InternalServerError, true)]
    [InlineData(HttpStatusCode.RequestTimeout, true)]
    [InlineData(HttpStatusCode.Forbidden, false)]
    [InlineData(HttpStatusCode.MethodNotAllowed, false)]
    public async Task An_answer_that_is_no_success_is_an_error_of_the_first_try_that_says_whether_to_try_again(
        HttpStatusCode status,
        bool transient
    )
    {
        var storage = new FakeStorage
        {
            Answer = _ => FakeStorage.Refused(status, "SomeCode", "Some words.\nRequestId:1"),
        };
        var error = await Assert.ThrowsAsync<ConnectorException>(() => Put(Client(storage)));
        Assert.Equal(transient, error.IsTransient);
        Assert.Equal(
            $"Azure Queue Storage at http://queues.example/shop: a message to queue 'orders' was not taken: Some words (SomeCode), status {(int)status}.",
            error.Message
        );
        Assert.Single(storage.Requests);
    }

    [Fact]
    public async Task A_connection_that_breaks_is_transient_and_an_error_of_the_first_try()
    {
        var storage = new FakeStorage { Answer = _ => throw new HttpRequestException("broken") };
        var error = await Assert.ThrowsAsync<ConnectorException>(() => Put(Client(storage)));
        Assert.True(error.IsTransient);
        Assert.Equal("Azure Queue Storage at http://queues.example/shop: no answer: broken.", error.Message);
        Assert.Single(storage.Requests);
    }

    [Fact]
    public async Task A_refused_message_and_a_missing_queue_are_told_apart()
    {
        var storage = new FakeStorage
        {
            Answer = n =>
                n == 1
                    ? FakeStorage.Refused(HttpStatusCode.BadRequest, "InvalidXmlDocument", "XML is wrong.")
                    : FakeStorage.Refused(HttpStatusCode.NotFound, "QueueNotFound"),
        };
        var client = Client(storage);
        Assert.Equal(
            (AzureQueueOutcome.Refused, "the service refuses it: XML is wrong (InvalidXmlDocument)"),
            await client.PutAsync("orders", "{}"u8.ToArray(), null, TimeSpan.Zero, default)
        );
        Assert.Equal(
            (AzureQueueOutcome.NoQueue, "queue 'orders' does not exist"),
            await client.PutAsync("orders", "{}"u8.ToArray(), null, TimeSpan.Zero, default)
        );
    }

    [Theory]
    [InlineData(3_600, "messagettl=3600")]
    [InlineData(36_500L * 86_400, "messagettl=-1")]
    public async Task Times_are_sent_in_seconds_and_requests_are_signed(long seconds, string expected)
    {
        var storage = new FakeStorage();
        await Client(storage)
            .PutAsync("orders", "{}"u8.ToArray(), TimeSpan.FromSeconds(seconds), TimeSpan.FromMinutes(2), default);
        var request = Assert.Single(storage.Requests);
        Assert.StartsWith("POST http://queues.example/shop/orders/messages?", request.Line, StringComparison.Ordinal);
        Assert.Equal(
            ["visibilitytimeout=120", expected],
            request.Line.Split('?')[1].Split('&').OrderByDescending(p => p)
        );
        Assert.StartsWith("SharedKey shop:", request.Authorization);
    }

    [Fact]
    public async Task A_shared_access_signature_goes_with_the_query_and_nothing_is_signed()
    {
        var storage = new FakeStorage();
        await Client(storage, "QueueEndpoint=http://queues.example;SharedAccessSignature=sv=1&sig=a%3D")
            .PutAsync("orders", "{}"u8.ToArray(), null, TimeSpan.Zero, default);
        var request = Assert.Single(storage.Requests);
        Assert.Equal("POST http://queues.example/orders/messages?sv=1&sig=a%3D", request.Line);
        Assert.Equal("", request.Authorization);
    }

    [Fact]
    public async Task A_signature_is_in_no_error_and_in_no_address_of_a_claim()
    {
        const string account =
            "QueueEndpoint=http://queues.example;BlobEndpoint=http://blobs.example;SharedAccessSignature=sv=1&sig=secret";
        var storage = new FakeStorage
        {
            Answer = n => n == 1 ? null : FakeStorage.Refused(HttpStatusCode.Forbidden, "AuthenticationFailed", "No."),
        };
        var client = Client(storage, account, AzureQueueOversize.ClaimCheck);
        Assert.Equal(
            "http://blobs.example/pipeline-messages/a.json",
            await client.PutClaimAsync("a.json", "{}"u8.ToArray(), "application/json", default)
        );
        var error = await Assert.ThrowsAsync<ConnectorException>(() => Put(client));
        Assert.DoesNotContain("secret", error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_the_service_took_of_a_batch_that_failed_is_not_sent_again()
    {
        var storage = new FakeStorage
        {
            Answer = n => n == 4 ? FakeStorage.Refused(HttpStatusCode.ServiceUnavailable, "ServerBusy") : null,
        };
        var options = new AzureQueuesOptions { ConnectionString = FakeStorage.Account, MaxParallel = 1 };
        await using var sink = storage
            .Connector(options, new ConnectorContext("c", ".", TimeProvider.System, NullLoggerFactory.Instance))
            .CreateSink(new SinkContext("t", "db", TimeProvider.System, NullLoggerFactory.Instance));
        await sink.ConnectAsync(default);
        OutgoingMessage[] messages = [.. Enumerable.Range(1, 4).Select(Make)];
        var batch = new MessageBatch(messages, 4);
        await Assert.ThrowsAsync<ConnectorException>(() => sink.SendAsync(batch, default).AsTask());
        await sink.ConnectAsync(default);
        Assert.Empty(await sink.SendAsync(batch, default));
        Assert.Equal(["1", "2", "2", "3", "4"], storage.Messages().Select(m => m.GetProperty("data").GetRawText()));

        // Another batch with the same messages is another batch.
        Assert.Empty(await sink.SendAsync(new MessageBatch(messages, 4), default));
        Assert.Equal(9, storage.Messages().Length);
    }

    private static Task<(AzureQueueOutcome Outcome, string Reason)> Put(AzureQueueClient client) =>
        client.PutAsync("orders", "{}"u8.ToArray(), null, TimeSpan.Zero, default).AsTask();

    private static OutgoingMessage Make(int n) =>
        new()
        {
            Destination = "out",
            Id = $"db/t/{n}/0",
            Source = "/s",
            Type = "t",
            Subject = $"things/{n}",
            Time = DateTimeOffset.UnixEpoch,
            Key = "k",
            Position = n,
            Body = Encoding.UTF8.GetBytes($"{n}"),
        };

    private static AzureQueueClient Client(
        FakeStorage storage,
        string account = FakeStorage.Account,
        AzureQueueOversize oversize = AzureQueueOversize.Park
    ) =>
        new(
            "functions",
            new AzureQueuesOptions { ConnectionString = account, Oversize = oversize },
            null,
            storage.Transport()
        );
}
