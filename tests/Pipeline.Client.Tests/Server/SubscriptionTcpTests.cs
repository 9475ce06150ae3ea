using System.Net;
using System.Net.Http.Json;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using Pipeline.Database.Certificates;
using Pipeline.Server;
using Pipeline.Server.Databases;
using Pipeline.Server.Hosting;
using Pipeline.Server.Operations;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Pipeline.TestKit.Certificates;
using Pipeline.TestKit.Subscriptions;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>Subscriptions over TCP, byte by byte: details that the official client does not show.</summary>
public sealed class SubscriptionTcpTests : IAsyncLifetime
{
    private PipelineServer _server = null!;

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync(
            new ServerOptions { Limits = new ServerLimits { MaxHeadTime = TimeSpan.FromSeconds(30) } }
        );
        await FillAsync(_server);
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    [Fact]
    public async Task Versions_are_agreed_on_and_batches_follow_acknowledgements()
    {
        await using var client = await TcpClientSide.ConnectAsync(_server.Url);
        await client.SendAsync(
            """{"DatabaseName":"db","Operation":"Subscription","OperationVersion":60000,"LicensedFeatures":{"DataCompression":true}}"""
        );
        Assert.Equal(
            "TcpVersionMismatch 53000",
            await client.ReadAsync(m => $"{m.GetProperty("Status").GetString()} {m.GetProperty("Version")}")
        );
        await client.SendAsync("""{"DatabaseName":"db","Operation":"Subscription","OperationVersion":53000}""");
        Assert.Equal(
            "Ok 53000 False",
            await client.ReadAsync(m =>
                $"{m.GetProperty("Status").GetString()} {m.GetProperty("Version")} {m.GetProperty("LicensedFeatures").GetProperty("DataCompression")}"
            )
        );
        await client.SendAsync("""{"SubscriptionName":"all","Strategy":"OpenIfFree","MaxDocsPerBatch":2}""");
        Assert.Equal("Accepted", await client.ReadAsync(m => m.GetProperty("Status").GetString()));
        Assert.Equal("users/0", await client.ReadAsync(Id));
        var last = "";
        Assert.Equal(
            "users/1",
            await client.ReadAsync(m =>
            {
                last = m.GetProperty("Data").GetProperty("@metadata").GetProperty("@change-vector").GetString();
                return Id(m);
            })
        );
        Assert.Equal("EndOfBatch", await client.ReadAsync(Type));
        // Sent in two halves: an acknowledgement need not come in one piece.
        await client.SendAsync("{\"Type\":\"Acknow");
        await client.SendAsync($"ledge\",\"ChangeVector\":\"{last}\"}}");
        Assert.Equal("Confirm", await client.ReadAsync(Type));
        Assert.Equal("users/2", await client.ReadAsync(Id));
        Assert.Equal("EndOfBatch", await client.ReadAsync(Type));
    }

    [Fact]
    public async Task What_was_not_acknowledged_comes_again_to_the_next()
    {
        for (var round = 0; round < 2; round++)
        {
            await using var client = await OpenAsync(_server.Url, "WaitForFree");
            Assert.Equal("users/0", await client.ReadAsync(Id));
        }
    }

    [Fact]
    public async Task An_acknowledgement_of_something_else_is_none()
    {
        await using (var client = await OpenAsync(_server.Url, "WaitForFree"))
        {
            while (await client.ReadAsync(Type) != "EndOfBatch")
                continue;
            await client.SendAsync("""{"Type":"Acknowledge","ChangeVector":"A:999-AAAAAAAAAAAAAAAAAAAAAA"}""");
            Assert.Contains(
                "the acknowledgement is of",
                await client.ReadAsync(m => m.GetProperty("Exception").GetString()),
                StringComparison.Ordinal
            );
        }
        await using var again = await OpenAsync(_server.Url, "WaitForFree");
        Assert.Equal("users/0", await again.ReadAsync(Id));
    }

    [Theory]
    [InlineData("""{"DatabaseName":"db","Operation":"Replication","OperationVersion":1}""", "AuthorizationFailed")]
    [InlineData("""{"Operation":"Subscription"}""", "Error")]
    [InlineData("""{"DatabaseName":7}""", "Error")]
    [InlineData("""{"a" "b"}""", "Error")]
    [InlineData("""{"a":[[[[[[""", "Error")]
    [InlineData("""{"DatabaseName":"db","Operation":"Drop","OperationVersion":1}""", null)]
    public async Task What_is_no_negotiation_ends_the_connection(string sent, string? answer)
    {
        await using var client = await TcpClientSide.ConnectAsync(_server.Url);
        await client.SendAsync(sent);
        client.EndSending();
        if (answer is not null)
        {
            Assert.Equal(
                answer,
                await client.ReadAsync(m =>
                    m.TryGetProperty("Type", out var type) ? type.GetString() : m.GetProperty("Status").GetString()
                )
            );
        }

        Assert.True(await client.IsEndedAsync());
    }

    [Fact]
    public async Task A_message_without_end_is_refused_and_not_kept()
    {
        await using var client = await TcpClientSide.ConnectAsync(_server.Url);
        await client.SendAsync("{\"DatabaseName\":\"" + new string('x', 40_000));
        Assert.Contains(
            "more than 32768 bytes",
            await client.ReadAsync(m => m.GetProperty("Exception").GetString()),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_database_that_is_missing_is_named()
    {
        await using var client = await TcpClientSide.ConnectAsync(_server.Url);
        await client.SendAsync(
            """{"DatabaseName":"none","Operation":"Subscription","OperationVersion":53000}{"SubscriptionName":"all"}"""
        );
        Assert.Equal("Ok", await client.ReadAsync(m => m.GetProperty("Status").GetString()));
        Assert.StartsWith(
            "Raven.Client.Exceptions.Database.DatabaseDoesNotExistException",
            await client.ReadAsync(m => m.GetProperty("Exception").GetString()),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Who_says_nothing_is_closed_when_the_time_is_over()
    {
        var time = new Pipeline.TestKit.Time.ManualTimeProvider();
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Time = time,
                Limits = new ServerLimits
                {
                    MaxIdleTime = TimeSpan.FromMinutes(2),
                    MaxHeadTime = TimeSpan.FromSeconds(30),
                },
            }
        );
        await using var silent = await TcpClientSide.ConnectAsync(server.Url);
        await using var slow = await TcpClientSide.ConnectAsync(server.Url);
        await slow.SendAsync("{\"Database");
        var ended = Task.WhenAll(silent.IsEndedAsync(), slow.IsEndedAsync());
        while (!ended.IsCompleted)
        {
            time.Advance(TimeSpan.FromMinutes(1));
            await Task.WhenAny(ended, Task.Delay(20));
        }
        Assert.All(await ended, Assert.True);
    }

    [Fact]
    public async Task The_end_of_the_server_ends_its_workers()
    {
        var server = await PipelineServer.StartAsync();
        await FillAsync(server);
        await using var client = await OpenAsync(server.Url, "OpenIfFree");
        while (await client.ReadAsync(Type) != "EndOfBatch")
            continue;
        await server.DisposeAsync();
        Assert.True(await client.IsEndedAsync());
    }

    [Fact]
    public async Task Over_TLS_the_certificate_decides()
    {
        using var certificate = TestCertificate.Make("server");
        using var writer = TestCertificate.Make("writer");
        using var reader = TestCertificate.Make("reader");
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Url = new Uri("https://127.0.0.1:0"),
                Certificate = certificate,
                Clients = [Permission(writer, DatabaseAccess.ReadWrite), Permission(reader, DatabaseAccess.Read)],
            }
        );
        await FillAsync(server);
        foreach (
            var (with, status) in ((X509Certificate2?, string)[])
                [(writer, "Ok"), (reader, "AuthorizationFailed"), (null, "AuthorizationFailed")]
        )
        {
            await using var client = await TcpClientSide.ConnectAsync(server.Url, certificate, with);
            await client.SendAsync("""{"DatabaseName":"db","Operation":"Subscription","OperationVersion":53000}""");
            Assert.Equal(status, await client.ReadAsync(m => m.GetProperty("Status").GetString()));
        }
    }

    private static ClientPermission Permission(X509Certificate2 certificate, DatabaseAccess access) =>
        new()
        {
            Name = certificate.Subject,
            Thumbprint = CertificateThumbprint.Of(certificate),
            Databases = new Dictionary<string, DatabaseAccess> { ["db"] = access },
        };

    private static async Task FillAsync(PipelineServer server)
    {
        var database = await server.CreateDatabaseAsync("db");
        for (var i = 0; i < 3; i++)
            await database.PutAsync($"users/{i}", """{"@metadata":{"@collection":"Users"}}"""u8.ToArray());
        await server.GetSubscriptions("db")!.CreateAsync(new() { Name = "all", Query = "from Users" });
    }

    private static async Task<TcpClientSide> OpenAsync(Uri url, string strategy)
    {
        var client = await TcpClientSide.ConnectAsync(url);
        await client.SendAsync(
            $$"""{"DatabaseName":"db","Operation":"Subscription","OperationVersion":53000}{"SubscriptionName":"all","Strategy":"{{strategy}}"}"""
        );
        Assert.Equal("Ok", await client.ReadAsync(m => m.GetProperty("Status").GetString()));
        Assert.Equal("Accepted", await client.ReadAsync(m => m.GetProperty("Status").GetString()));
        return client;
    }

    private static string? Type(JsonElement message) => message.GetProperty("Type").GetString();

    private static string? Id(JsonElement message) =>
        message.GetProperty("Data").GetProperty("@metadata").GetProperty("@id").GetString();
}
