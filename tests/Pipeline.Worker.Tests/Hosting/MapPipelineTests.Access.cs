using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Client;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests.Hosting;

/// <content>Who may use a mounted worker.</content>
public sealed partial class MapPipelineTests
{
    [Theory]
    [InlineData("192.0.2.7", null, null, HttpStatusCode.Forbidden, "answers only clients on this machine")]
    [InlineData("none", null, null, HttpStatusCode.Forbidden, "answers only clients on this machine")]
    [InlineData(
        "127.0.0.1",
        "X-Forwarded-For",
        null,
        HttpStatusCode.Forbidden,
        "came through a proxy (X-Forwarded-For)"
    )]
    [InlineData("::1", "Forwarded", null, HttpStatusCode.Forbidden, "came through a proxy (Forwarded)")]
    [InlineData(
        "127.0.0.1",
        null,
        "rebound.example",
        HttpStatusCode.Forbidden,
        "called by its address or as localhost, not 'rebound.example'"
    )]
    [InlineData("127.0.0.1", null, "localhost", HttpStatusCode.OK, "live")]
    [InlineData("::ffff:127.0.0.1", null, null, HttpStatusCode.OK, "live")]
    public async Task Without_authorization_only_this_machine_is_answered(
        string from,
        string? header,
        string? host,
        HttpStatusCode status,
        string text
    )
    {
        using var folder = new HostFolder();
        await using var app = await StartAsync(folder, from: from);
        using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        using var request = new HttpRequestMessage(HttpMethod.Get, "/pipeline/health/live");
        if (header is not null)
            request.Headers.Add(header, "for=203.0.113.9");
        if (host is not null)
            request.Headers.Host = host;
        using var answer = await http.SendAsync(request);
        var body = await answer.Content.ReadAsStringAsync();
        Assert.Equal(status, answer.StatusCode);
        Assert.Contains(text, body, StringComparison.Ordinal);
        if (status == HttpStatusCode.Forbidden)
            Assert.Contains("RequireAuthorization()", body, StringComparison.Ordinal);
    }

    [Fact]
    public async Task With_authorization_the_application_decides()
    {
        using var folder = new HostFolder();
        await using var app = await StartAsync(folder, endpoint => endpoint.RequireAuthorization(), from: "192.0.2.7");
        using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        Assert.Equal(HttpStatusCode.Unauthorized, (await http.GetAsync("/pipeline/databases")).StatusCode);
        http.DefaultRequestHeaders.Add(HeaderAuthentication.Header, "ann");
        Assert.Equal(HttpStatusCode.OK, (await http.GetAsync("/pipeline/databases")).StatusCode);

        // A worker of a subscription is authenticated like any request of its store's client.
        using var nobody = new HttpClient();
        await using var store = DocumentStore.Connect(app.Urls.First() + "/pipeline", "shop", client: http);
        await using var stranger = DocumentStore.Connect(app.Urls.First() + "/pipeline", "shop", client: nobody);
        await store.Subscriptions.CreateAsync<Order>("s");
        Assert.Equal(
            0,
            await store
                .Subscribe<Order>("s", new SubscribeOptions { EndsWhenEmpty = true })
                .RunAsync((_, _) => Task.CompletedTask)
        );
        Assert.Equal(
            SubscriptionProblem.AccessDenied,
            (
                await Assert.ThrowsAsync<SubscriptionException>(() =>
                    stranger.Subscribe<Order>("s").RunAsync((_, _) => Task.CompletedTask)
                )
            ).Problem
        );
    }

    [Fact]
    public async Task Everybody_is_answered_where_the_application_says_so_but_no_page_of_another_site()
    {
        using var folder = new HostFolder();
        await using var app = await StartAsync(folder, endpoint => endpoint.AllowAnonymous(), from: "192.0.2.7");
        using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        Assert.Equal(HttpStatusCode.OK, (await http.GetAsync("/pipeline/databases")).StatusCode);
        foreach (
            var (name, value) in new[]
            {
                ("Origin", "https://other.example"),
                ("Sec-Fetch-Site", "cross-site"),
                ("Referer", "https://other.example/page"),
                ("User-Agent", "Mozilla/5.0"),
            }
        )
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, "/pipeline/databases");
            request.Headers.TryAddWithoutValidation(name, value);
            Assert.Equal((name, HttpStatusCode.Forbidden), (name, (await http.SendAsync(request)).StatusCode));
        }
    }
}
