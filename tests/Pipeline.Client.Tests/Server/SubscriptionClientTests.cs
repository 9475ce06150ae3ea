using System.Net;
using System.Text;
using System.Text.Json;
using Pipeline.Server;
using Pipeline.TestKit.Subscriptions;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>
/// Subscriptions as RavenDB's clients in other languages use them, message by message. The messages come from the
/// clients' public sources: Node.js 6.0 to 7.2 (no change vector in acknowledgements), Python 5.2.0 to 5.2.6, Go 1.0.
/// </summary>
public sealed class SubscriptionClientTests : IAsyncLifetime
{
    private const string NodeHeader =
        """{"DatabaseName":"db","Operation":"Subscription","SourceNodeTag":"A","OperationVersion":53000,"AuthorizeInfo":null,"LicensedFeatures":{"DataCompression":true}}""";
    private const string NodeOptions =
        """{"SubscriptionName":"all","TimeToWaitBeforeConnectionRetry":"00:00:05","IgnoreSubscriberErrors":false,"Strategy":"WaitForFree","MaxDocsPerBatch":2,"MaxErroneousPeriod":"00:05:00","CloseWhenNoDocsLeft":false}""";
    private const string PythonHeader =
        """{"DatabaseName": "db", "Operation": "Subscription", "SourceNodeTag": null, "OperationVersion": 51000, "AuthorizeInfo": null}""";
    private const string PythonOptions =
        """{"SubscriptionName": "all", "Strategy": "OpenIfFree", "MaxDocsPerBatch": 2, "TimeToWaitBeforeConnectionRetry": "00:00:05", "MaxErroneousPeriod": "00:05:00", "ReceiveBufferSize": 32768, "SendBufferSize": 32768, "IgnoreSubscriberErrors": null, "CloseWhenNoDocsLeft": null}""";
    private const string GoHeader =
        """{"DatabaseName":"db","SourceNodeTag":"","Operation":"Subscription","OperationVersion":40,"Info":""}""";
    private const string GoOptions =
        """{"SubscriptionName":"all","TimeToWaitBeforeConnectionRetry":"00:00:05","IgnoreSubscriberErrors":false,"Strategy":"OpenIfFree","MaxDocsPerBatch":2,"MaxErroneousPeriod":"00:05:00","CloseWhenNoDocsLeft":false}""";
    private const string AcknowledgeUnnamed = """{"Type":"Acknowledge"}""";
    private const string AcknowledgeNull = """{"Type": "Acknowledge", "ChangeVector": null}""";
    private PipelineServer _server = null!;

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync();
        var database = await _server.CreateDatabaseAsync("db");
        for (var i = 0; i < 5; i++)
            await database.PutAsync($"users/{i}", """{"@metadata":{"@collection":"Users"}}"""u8.ToArray());
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    [Theory]
    [InlineData(AcknowledgeUnnamed)]
    [InlineData(AcknowledgeNull)]
    public async Task An_acknowledgement_without_a_change_vector_is_of_the_batch_in_flight(string acknowledge)
    {
        await _server.GetSubscriptions("db")!.CreateAsync(new() { Name = "all", Query = "from Users" });
        await using (var client = await OpenAsync(NodeHeader, NodeOptions))
        {
            Assert.Equal("users/0 users/1", (await BatchAsync(client)).Ids);
            await client.SendAsync(acknowledge);
            Assert.Equal("Confirm", await client.ReadAsync(Type));
            Assert.Equal("users/2 users/3", (await BatchAsync(client)).Ids);
        }
        await using var next = await OpenAsync(NodeHeader, NodeOptions);
        Assert.Equal("users/2 users/3", (await BatchAsync(next)).Ids);
    }

    [Fact]
    public async Task An_acknowledgement_that_comes_before_its_batch_is_refused()
    {
        await _server.GetSubscriptions("db")!.CreateAsync(new() { Name = "all", Query = "from Users" });
        await using (var client = await OpenAsync(NodeHeader, NodeOptions))
        {
            await BatchAsync(client);
            await client.SendAsync(AcknowledgeUnnamed + AcknowledgeUnnamed);
            Assert.Equal("Confirm", await client.ReadAsync(Type));
            Assert.Contains(
                "an acknowledgement came before its batch was sent",
                await client.ReadAsync(m => m.GetProperty("Exception").GetString()),
                StringComparison.Ordinal
            );
        }
        await using var next = await OpenAsync(NodeHeader, NodeOptions);
        Assert.Equal("users/2 users/3", (await BatchAsync(next)).Ids);
    }

    [Fact]
    public async Task Pythons_client_acknowledges_empty_batches_too_and_loses_nothing()
    {
        await MakeAsync(
            "/databases/db/subscriptions",
            """{"Name": "all", "Query": "from 'Users'", "Includes": {}, "ChangeVector": null, "MentorNode": null}"""
        );
        await AskAsync("/info/remote-task/tcp?database=db&remote-task=all&tag=Subscription/db&verify-database=true");
        await using (var client = await OpenAsync(PythonHeader, PythonOptions))
        {
            var first = await BatchAsync(client);
            Assert.Equal("users/0 users/1", first.Ids);
            await client.SendAsync($$"""{"Type": "Acknowledge", "ChangeVector": "{{first.Last}}"}""");
            Assert.Equal("Confirm", await client.ReadAsync(Type));
            await client.SendAsync(AcknowledgeNull);
            var second = await BatchAsync(client);
            Assert.Equal("users/2 users/3", second.Ids);
            await client.SendAsync($$"""{"Type": "Acknowledge", "ChangeVector": "{{second.Last}}"}""");
            Assert.Equal("Confirm", await client.ReadAsync(Type));
            Assert.Equal("users/4", (await BatchAsync(client)).Ids);
            await client.SendAsync(AcknowledgeNull);
        }
        await using var next = await OpenAsync(
            PythonHeader,
            PythonOptions.Replace("OpenIfFree", "WaitForFree", StringComparison.Ordinal)
        );
        Assert.Equal("users/4", (await BatchAsync(next)).Ids);
    }

    [Fact]
    public async Task Gos_client_is_served_in_the_first_version_of_the_protocol()
    {
        await MakeAsync(
            "/databases/db/subscriptions",
            """{"Name":"all","Query":"from Users","ChangeVector":null,"MentorNode":""}"""
        );
        using var place = JsonDocument.Parse(await AskAsync("/databases/db/info/tcp?tag=Subscription/db"));
        Assert.Equal($"tcp://{_server.Url.Authority}", place.RootElement.GetProperty("Url").GetString());
        await using var client = await OpenAsync(GoHeader, GoOptions);
        foreach (var ids in (string[])["users/0 users/1", "users/2 users/3", "users/4"])
        {
            var batch = await BatchAsync(client);
            Assert.Equal(ids, batch.Ids);
            await client.SendAsync($$"""{"ChangeVector":"{{batch.Last}}","Type":"Acknowledge"}""");
            Assert.Equal("Confirm", await client.ReadAsync(Type));
        }
    }

    private async Task<TcpClientSide> OpenAsync(string header, string options)
    {
        var client = await TcpClientSide.ConnectAsync(_server.Url);
        await client.SendAsync(header);
        Assert.Equal("Ok", await client.ReadAsync(m => m.GetProperty("Status").GetString()));
        await client.SendAsync(options);
        Assert.Equal("Accepted", await client.ReadAsync(m => m.GetProperty("Status").GetString()));
        return client;
    }

    private static async Task<(string Ids, string? Last)> BatchAsync(TcpClientSide client)
    {
        var (ids, last) = (new List<string?>(), (string?)null);
        while (await client.ReadAsync(m => Type(m) == "EndOfBatch" ? null : Metadata(m, "@id", out last)) is { } id)
            ids.Add(id);
        return (string.Join(' ', ids), last);

        static string? Metadata(JsonElement message, string name, out string? vector)
        {
            var metadata = message.GetProperty("Data").GetProperty("@metadata");
            vector = metadata.GetProperty("@change-vector").GetString();
            return metadata.GetProperty(name).GetString();
        }
    }

    private async Task MakeAsync(string path, string body)
    {
        using var http = new HttpClient { BaseAddress = _server.Url };
        using var content = new StringContent(body, Encoding.UTF8, "application/json");
        using var answer = await http.PutAsync(new Uri(path, UriKind.Relative), content);
        Assert.Equal(HttpStatusCode.Created, answer.StatusCode);
    }

    private async Task<string> AskAsync(string path)
    {
        using var http = new HttpClient { BaseAddress = _server.Url };
        return await http.GetStringAsync(new Uri(path, UriKind.Relative));
    }

    private static string? Type(JsonElement message) => message.GetProperty("Type").GetString();
}
