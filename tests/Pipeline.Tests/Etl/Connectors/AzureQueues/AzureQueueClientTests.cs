using System.Net;
using Azure.Core.Pipeline;
using Pipeline.Backups.Destinations;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.AzureQueues;
using Xunit;

namespace Pipeline.Tests.Etl.Connectors.AzureQueues;

public sealed class AzureQueueClientTests
{
    private const string Account = "AccountName=shop;AccountKey=c2VjcmV0IGtleQ==;QueueEndpoint=http://queues.example/shop";

    [Fact]
    public async Task Busy_answers_are_tried_again()
    {
        var server = new Script(HttpStatusCode.ServiceUnavailable, HttpStatusCode.TooManyRequests, HttpStatusCode.Created);
        var (outcome, _) = await Client(server).PutAsync("orders", "<x/>"u8.ToArray(), null, TimeSpan.Zero, default);
        Assert.Equal(AzureQueueOutcome.Done, outcome);
        Assert.Equal(3, server.Requests.Count);
    }

    [Theory]
    [InlineData(HttpStatusCode.ServiceUnavailable, true, 4)]
    [InlineData(HttpStatusCode.InternalServerError, true, 4)]
    [InlineData(HttpStatusCode.Forbidden, false, 1)]
    [InlineData(HttpStatusCode.MethodNotAllowed, false, 1)]
    public async Task What_does_not_get_better_is_an_error_that_says_whether_to_try_again(HttpStatusCode status, bool transient, int tries)
    {
        var server = new Script([.. Enumerable.Repeat(status, 4)]);
        var error = await Assert.ThrowsAsync<ConnectorException>(() => Client(server).PutAsync("orders", "<x/>"u8.ToArray(), null, TimeSpan.Zero, default));
        Assert.Equal(transient, error.IsTransient);
        Assert.Contains($"status {(int)status}", error.Message);
        Assert.Contains("queue 'orders'", error.Message);
        Assert.Equal(tries, server.Requests.Count);
    }

    [Fact]
    public async Task A_refused_message_and_a_missing_queue_are_told_apart()
    {
        var server = new Script(HttpStatusCode.BadRequest, HttpStatusCode.NotFound);
        var client = Client(server);
        Assert.Equal(AzureQueueOutcome.Refused, (await client.PutAsync("orders", "<x/>"u8.ToArray(), null, TimeSpan.Zero, default)).Outcome);
        Assert.Equal(AzureQueueOutcome.NoQueue, (await client.PutAsync("orders", "<x/>"u8.ToArray(), null, TimeSpan.Zero, default)).Outcome);
    }

    [Fact]
    public async Task Times_are_sent_in_seconds_and_requests_are_signed()
    {
        var server = new Script(HttpStatusCode.Created);
        await Client(server).PutAsync("orders", "<x/>"u8.ToArray(), TimeSpan.FromHours(1), TimeSpan.FromMinutes(2), default);
        var request = Assert.Single(server.Requests);
        Assert.Equal("POST http://queues.example/shop/orders/messages?messagettl=3600&visibilitytimeout=120", request.Line);
        Assert.StartsWith("SharedKey shop:", request.Authorization);
    }

    [Fact]
    public async Task A_shared_access_signature_goes_with_the_query_and_nothing_is_signed()
    {
        var server = new Script(HttpStatusCode.Created);
        await Client(server, "QueueEndpoint=http://queues.example;SharedAccessSignature=sv=1&sig=a%3D").PutAsync("orders", "<x/>"u8.ToArray(), null, TimeSpan.Zero, default);
        var request = Assert.Single(server.Requests);
        Assert.Equal("POST http://queues.example/orders/messages?sv=1&sig=a%3D", request.Line);
        Assert.Equal("", request.Authorization);
    }

    private static AzureQueueClient Client(Script server, string account = Account)
    {
        Assert.True(AzureStorageAccount.TryParse(account, out var parsed, out _));
        var transport = new HttpClientTransport(new HttpClient(server));
        return new AzureQueueClient("functions", parsed, new AzureQueuesOptions(), TimeProvider.System, null, transport, TimeSpan.FromMilliseconds(1));
    }

    private sealed class Script(params HttpStatusCode[] answers) : HttpMessageHandler
    {
        private int _next;

        public List<(string Line, string Authorization)> Requests { get; } = [];

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            Requests.Add(($"{request.Method} {request.RequestUri!.AbsoluteUri}", request.Headers.TryGetValues("Authorization", out var values) ? values.Single() : ""));
            return Task.FromResult(new HttpResponseMessage(answers[_next++]) { Content = new ByteArrayContent([]) });
        }
    }
}
