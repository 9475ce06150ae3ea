using System.Net;
using System.Net.Http.Headers;
using Azure.Core;
using Azure.Identity;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.AzureQueues;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Connectors.AzureQueues;

/// <summary>Azure queues by an identity of Azure.Identity in place of a connection string.</summary>
public sealed class AzureQueueIdentityTests
{
    private const string Head = "version: 1\ndatabase: { name: a, path: . }\nconnections:\n  c:\n    azureQueues:\n";

    [Fact]
    public async Task Requests_to_queues_and_blobs_bear_a_token_for_storage()
    {
        var storage = new FakeStorage();
        var credential = new Credential();
        var client = Client(storage, credential);
        await client.CheckAsync(default);
        await client.PutAsync("orders", "{}"u8.ToArray(), null, TimeSpan.Zero, default);
        Assert.Equal(
            "https://shop.blob.example/pipeline-messages/b.json",
            await client.PutClaimAsync("b.json", "{}"u8.ToArray(), "application/json", default)
        );
        Assert.Equal(
            [
                "GET https://shop.queue.example/?comp=list&maxresults=1",
                "POST https://shop.queue.example/orders/messages",
                "PUT https://shop.blob.example/pipeline-messages/b.json",
            ],
            storage.Lines
        );
        Assert.Equal(
            ["Bearer token-1", "Bearer token-1", "Bearer token-2"],
            storage.Requests.Select(r => r.Authorization)
        );
        Assert.All(credential.Asked, asked => Assert.Equal(["https://storage.azure.com/.default"], asked.Scopes));
    }

    [Fact]
    public async Task A_token_that_has_expired_is_not_sent_again()
    {
        var storage = new FakeStorage();
        var credential = new Credential { Lifetime = TimeSpan.FromMinutes(-1) };
        var client = Client(storage, credential);
        for (var i = 0; i < 2; i++)
            await client.PutAsync("orders", "{}"u8.ToArray(), null, TimeSpan.Zero, default);
        Assert.Equal(["Bearer token-1", "Bearer token-2"], storage.Requests.Select(r => r.Authorization));
    }

    [Fact]
    public async Task A_token_that_the_service_challenges_is_replaced_by_one_that_answers_it()
    {
        var challenge = FakeStorage.Refused(HttpStatusCode.Unauthorized);
        challenge.Headers.WwwAuthenticate.Add(
            new AuthenticationHeaderValue(
                "Bearer",
                "realm=\"\", error=\"insufficient_claims\", claims=\"" + Convert.ToBase64String("{\"a\":1}"u8) + "\""
            )
        );
        var storage = new FakeStorage { Answer = n => n == 1 ? challenge : null };
        var credential = new Credential();
        Assert.Equal(
            AzureQueueOutcome.Done,
            (
                await Client(storage, credential).PutAsync("orders", "{}"u8.ToArray(), null, TimeSpan.Zero, default)
            ).Outcome
        );
        Assert.Equal(["Bearer token-1", "Bearer token-2"], storage.Requests.Select(r => r.Authorization));
        Assert.Equal([null, "{\"a\":1}"], credential.Asked.Select(a => a.Claims));
    }

    [Fact]
    public async Task A_refusal_without_a_challenge_is_permanent()
    {
        var storage = new FakeStorage { Answer = _ => FakeStorage.Refused(HttpStatusCode.Unauthorized) };
        var error = await Assert.ThrowsAsync<ConnectorException>(() =>
            Client(storage, new Credential()).CheckAsync(default)
        );
        Assert.False(error.IsTransient);
        Assert.Contains("status 401", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_role_that_may_only_add_messages_is_enough()
    {
        await Client(
                new FakeStorage
                {
                    Answer = _ => FakeStorage.Refused(HttpStatusCode.Forbidden, "AuthorizationPermissionMismatch"),
                },
                new Credential()
            )
            .CheckAsync(default);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Where_no_token_is_to_be_had_the_error_says_so_and_whether_to_try_again(bool isOfNetwork)
    {
        Exception fault = isOfNetwork
            ? new AuthenticationFailedException("nobody answers", new HttpRequestException("refused"))
            : new CredentialUnavailableException("no identity here");
        var error = await Assert.ThrowsAsync<ConnectorException>(() =>
            Client(new FakeStorage(), new Credential { Fault = fault }).CheckAsync(default)
        );
        Assert.Equal(isOfNetwork, error.IsTransient);
        Assert.Contains(
            "https://shop.queue.example: no token for it: " + fault.Message,
            error.Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Without_TLS_a_token_goes_to_this_machine_and_no_further()
    {
        var storage = new FakeStorage();
        await Client(storage, new Credential(), "http://127.0.0.1:10001/devstoreaccount1")
            .PutAsync("orders", "{}"u8.ToArray(), null, TimeSpan.Zero, default);
        Assert.Equal(
            ("POST http://127.0.0.1:10001/devstoreaccount1/orders/messages", "Bearer token-1"),
            (storage.Requests.Single().Line, storage.Requests.Single().Authorization)
        );
        Assert.Throws<ArgumentException>(() => Client(storage, new Credential(), "http://shop.example"));
        Assert.Single(storage.Requests);
    }

    [Theory]
    [InlineData(
        "      create: true\n",
        "f:5:5: connections.c.azureQueues.connectionString: is missing, and so is 'endpoint'; give one of them"
    )]
    [InlineData(
        "      clientId: x\n",
        "f:5:5: connections.c.azureQueues.connectionString: is missing, and so is 'endpoint'; give one of them"
    )]
    [InlineData(
        "      connectionString: UseDevelopmentStorage=true\n      endpoint: https://shop.queue.example\n",
        "f:7:7: connections.c.azureQueues.endpoint cannot stand together with 'connectionString' in line 6; leave one of them out"
    )]
    [InlineData(
        "      endpoint: https://shop.queue.example\n      connectionString: UseDevelopmentStorage=true\n",
        "f:7:7: connections.c.azureQueues.connectionString cannot stand together with 'endpoint' in line 6; leave one of them out"
    )]
    [InlineData(
        "      connectionString: UseDevelopmentStorage=true\n      clientId: x\n",
        "f:7:7: connections.c.azureQueues.clientId cannot stand together with 'connectionString' in line 6; leave one of them out"
    )]
    [InlineData(
        "      connectionString: UseDevelopmentStorage=true\n      blobEndpoint: https://shop.blob.example\n",
        "f:7:7: connections.c.azureQueues.blobEndpoint cannot stand together with 'connectionString' in line 6; leave one of them out"
    )]
    [InlineData(
        "      endpoint: http://shop.queue.example\n",
        "f:6:17: connections.c.azureQueues.endpoint: must begin with https://, because an intercepted token can be used"
    )]
    [InlineData(
        "      endpoint: https://shop.queue.example\n      blobEndpoint: http://shop.blob.example\n",
        "f:7:21: connections.c.azureQueues.blobEndpoint: must begin with https://, because an intercepted token can be used"
    )]
    [InlineData(
        "      endpoint: ftp://shop.queue.example\n",
        "f:6:17: connections.c.azureQueues.endpoint: must be an https address, such as "
    )]
    [InlineData(
        "      endpoint: https://shop.queue.example?sv=1&sig=x\n",
        "f:6:17: connections.c.azureQueues.endpoint: must be an address alone; a shared access signature belongs in 'connectionString'"
    )]
    [InlineData(
        "      endpoint: https://shop.queue.example\n      oversize: claim-check\n",
        "f:5:5: connections.c.azureQueues.blobEndpoint: is missing, which 'oversize: claim-check' needs; add it, such as "
    )]
    [InlineData(
        "      connectionString: QueueEndpoint=https://shop.queue.example;SharedAccessSignature=s\n      oversize: claim-check\n",
        "f:6:25: connections.c.azureQueues.connectionString: has no address of the blob service, which 'oversize: claim-check' needs; add BlobEndpoint"
    )]
    public void Faults_have_their_place_and_mend(string options, string expected)
    {
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(Head + options, "f", FixedVariables.None)
        );
        Assert.StartsWith(expected, Assert.Single(e.Diagnostics).ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("      endpoint: https://shop.queue.example\n      clientId: 00000000-0000-0000-0000-000000000000\n")]
    [InlineData(
        """
                  endpoint: https://shop.queue.example
                  blobEndpoint: https://shop.blob.example/
                  oversize: claim-check

            """
    )]
    [InlineData("      endpoint: http://localhost:10001/devstoreaccount1\n")]
    public async Task An_endpoint_is_enough_and_nothing_is_asked_before_it_is_used(string options)
    {
        var connection = PipelineConfiguration.Parse(Head + options, "f", FixedVariables.None).Connections["c"];
        await using var connector = connection.Definition.Create(
            connection.Options,
            new ConnectorContext("c", ".", TimeProvider.System, NullLoggerFactory.Instance)
        );
        Assert.NotNull(connector);
    }

    private static AzureQueueClient Client(
        FakeStorage storage,
        TokenCredential credential,
        string endpoint = "https://shop.queue.example"
    )
    {
        var options = new AzureQueuesOptions
        {
            Endpoint = new Uri(endpoint),
            BlobEndpoint = new Uri("https://shop.blob.example"),
        };
        return storage
            .Connector(
                options,
                new ConnectorContext("c", ".", TimeProvider.System, NullLoggerFactory.Instance),
                credential
            )
            .Client;
    }

    private sealed class Credential : TokenCredential
    {
        public TimeSpan Lifetime { get; init; } = TimeSpan.FromHours(1);

        public Exception? Fault { get; init; }

        public List<TokenRequestContext> Asked { get; } = [];

        public override AccessToken GetToken(TokenRequestContext requestContext, CancellationToken cancellationToken)
        {
            if (Fault is not null)
                throw Fault;
            Asked.Add(requestContext);
            return new AccessToken($"token-{Asked.Count}", DateTimeOffset.UtcNow + Lifetime);
        }

        public override ValueTask<AccessToken> GetTokenAsync(
            TokenRequestContext requestContext,
            CancellationToken cancellationToken
        ) => ValueTask.FromResult(GetToken(requestContext, cancellationToken));
    }
}
