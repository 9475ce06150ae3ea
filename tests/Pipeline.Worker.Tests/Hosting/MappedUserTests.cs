using System.Net;
using System.Net.Http.Json;
using System.Security.Claims;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Hosting;
using Pipeline.Hosting.Mapping;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests.Hosting;

/// <summary>An application's users have rights on databases below the path of a worker's server.</summary>
public sealed class MappedUserTests
{
    [Theory]
    [InlineData(
        "reader",
        HttpStatusCode.OK,
        HttpStatusCode.Forbidden,
        HttpStatusCode.Forbidden,
        HttpStatusCode.Forbidden
    )]
    [InlineData(
        "writer",
        HttpStatusCode.OK,
        HttpStatusCode.Created,
        HttpStatusCode.Forbidden,
        HttpStatusCode.Forbidden
    )]
    [InlineData("keeper", HttpStatusCode.OK, HttpStatusCode.Created, HttpStatusCode.OK, HttpStatusCode.Forbidden)]
    [InlineData(
        "reader,writer",
        HttpStatusCode.OK,
        HttpStatusCode.Created,
        HttpStatusCode.Forbidden,
        HttpStatusCode.Forbidden
    )]
    [InlineData("ops", HttpStatusCode.OK, HttpStatusCode.Created, HttpStatusCode.OK, HttpStatusCode.NoContent)]
    [InlineData(
        "guest",
        HttpStatusCode.Forbidden,
        HttpStatusCode.Forbidden,
        HttpStatusCode.Forbidden,
        HttpStatusCode.Forbidden
    )]
    public async Task A_role_gives_rights_on_the_databases_that_it_names(
        string roles,
        HttpStatusCode read,
        HttpStatusCode write,
        HttpStatusCode admin,
        HttpStatusCode all
    )
    {
        using var folder = new HostFolder();
        await using var app = await StartAsync(folder, isAnonymous: false);
        await app.Services.GetRequiredService<DocumentDatabase>().PutAsync("orders/1", """{"Total":1}"""u8.ToArray());
        using var http = ClientOf(app, "ann", roles);
        Assert.Equal(read, (await http.GetAsync("/pipeline/databases/SHOP/docs?id=orders/1")).StatusCode);
        Assert.Equal(
            write,
            (
                await http.PutAsync("/pipeline/databases/shop/docs?id=orders/2", JsonContent.Create(new { Total = 2 }))
            ).StatusCode
        );
        Assert.Equal(
            admin,
            (
                await http.PostAsync("/pipeline/databases/shop/admin/revisions/config", JsonContent.Create(new { }))
            ).StatusCode
        );
        Assert.Equal(all, (await http.GetAsync("/pipeline/admin/test/delay?value=0")).StatusCode);

        // Other databases are neither listed nor named.
        var list = await http.GetAsync("/pipeline/databases");
        Assert.Equal(read, list.StatusCode);
        Assert.Equal(
            read == HttpStatusCode.OK,
            (await list.Content.ReadAsStringAsync()).Contains("shop", StringComparison.Ordinal)
        );
        if (roles != "ops")
            Assert.Equal(HttpStatusCode.Forbidden, (await http.GetAsync("/pipeline/databases/other/stats")).StatusCode);
    }

    [Fact]
    public async Task A_typed_client_is_told_which_right_it_lacks()
    {
        using var folder = new HostFolder();
        await using var app = await StartAsync(folder, isAnonymous: false);
        using var http = ClientOf(app, "ann", "reader");
        await using var store = DocumentStore.Connect(app.Urls.First() + "/pipeline", "shop", client: http);
        await using var session = store.OpenSession();
        Assert.Empty(await session.Query<Order>().ToListAsync());
        session.Store(new Order { Total = 1 }, "orders/1");
        var denied = await Assert.ThrowsAsync<ServerException>(() => session.SaveChangesAsync());
        Assert.Equal(403, denied.Status);
        Assert.Contains(
            "needs readWrite access to the database 'shop', which the user 'ann' does not have",
            denied.Message,
            StringComparison.Ordinal
        );
        var filter = await Assert.ThrowsAsync<SubscriptionException>(() => store.Subscriptions.CreateAsync<Order>("s"));
        Assert.Equal(SubscriptionProblem.AccessDenied, filter.Problem);

        // A writer may filter by a lambda, which is a query. C# is for admins of the server.
        using var other = ClientOf(app, "bob", "keeper");
        await using var writing = DocumentStore.Connect(app.Urls.First() + "/pipeline", "shop", client: other);
        await writing.Subscriptions.CreateAsync<Order>("s", o => o.Total > 1);
        await writing.Subscriptions.PauseAsync("s");
        Assert.True((await store.Subscriptions.GetStateAsync("s")).IsPaused);
        var script = await Assert.ThrowsAsync<SubscriptionException>(() =>
            writing.Subscriptions.CreateAsync<Order>("t", new SubscriptionOptions { Filter = "doc.Total > 1" })
        );
        Assert.Equal(SubscriptionProblem.AccessDenied, script.Problem);
    }

    [Fact]
    public async Task Who_is_not_authenticated_may_do_nothing_even_on_this_machine()
    {
        using var folder = new HostFolder();
        await using var app = await StartAsync(folder, isAnonymous: true);
        using var nobody = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        Assert.Equal(HttpStatusCode.OK, (await nobody.GetAsync("/pipeline/health/live")).StatusCode);
        Assert.Equal(HttpStatusCode.Forbidden, (await nobody.GetAsync("/pipeline/databases")).StatusCode);
        var refused = await nobody.GetAsync("/pipeline/databases/shop/stats");
        Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);
        Assert.Contains(
            "a user who is not authenticated",
            await refused.Content.ReadAsStringAsync(),
            StringComparison.Ordinal
        );
        Assert.Equal(HttpStatusCode.Forbidden, (await nobody.GetAsync("/pipeline/metrics")).StatusCode);
        using var ann = ClientOf(app, "ann", "reader");
        Assert.Equal(HttpStatusCode.OK, (await ann.GetAsync("/pipeline/databases/shop/stats")).StatusCode);
    }

    [Fact]
    public void A_user_is_one_client_and_another_with_other_rights()
    {
        var access = new PipelineAccess()
            .ForRole("reader", PipelineRights.Read("a", "b"))
            .ForClaim("scope", "b.write", PipelineRights.ReadWrite("B"))
            .For(u => u.Identity?.Name == "eve", PipelineRights.Metrics);
        var users = new MappedUsers(access);
        var reader = users.Of(User("ann", new Claim(ClaimTypes.Role, "reader")));
        Assert.Same(reader, users.Of(User("ann", new Claim(ClaimTypes.Role, "reader"))));
        var writer = users.Of(User("ann", new Claim(ClaimTypes.Role, "reader"), new Claim("scope", "b.write")));
        Assert.NotSame(reader, writer);
        Assert.Equal((Read, Read, None), (reader.On("A"), reader.On("b"), reader.On("c")));
        Assert.Equal((Read, Write, false, false), (writer.On("a"), writer.On("b"), writer.IsAdmin, writer.SeesMetrics));
        Assert.NotSame(reader, users.Of(User("bob", new Claim(ClaimTypes.Role, "reader"))));
        Assert.Equal(
            (true, true, None),
            (users.Of(User("eve")).SeesMetrics, users.Of(User("eve")).IsKnown, users.Of(User("eve")).On("a"))
        );
        Assert.False(users.Of(User("bob")).IsKnown);
        Assert.False(users.Of(new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Role, "reader")]))).IsKnown);
        Assert.Contains(
            "PipelineRights.Admin",
            Assert.Throws<ArgumentException>(() => PipelineRights.Read()).Message,
            StringComparison.Ordinal
        );
    }

    private const global::Pipeline.Server.Settings.DatabaseAccess None =
            global::Pipeline.Server.Settings.DatabaseAccess.None,
        Read = global::Pipeline.Server.Settings.DatabaseAccess.Read,
        Write = global::Pipeline.Server.Settings.DatabaseAccess.ReadWrite;

    private static ClaimsPrincipal User(string name, params Claim[] claims) =>
        new(new ClaimsIdentity([new Claim(ClaimTypes.Name, name), .. claims], "test"));

    private static HttpClient ClientOf(WebApplication app, string user, string roles)
    {
        var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        http.DefaultRequestHeaders.Add(HeaderAuthentication.Header, user);
        foreach (var role in roles.Split(','))
            http.DefaultRequestHeaders.Add(HeaderAuthentication.Roles, role);
        return http;
    }

    private static async Task<WebApplication> StartAsync(HostFolder folder, bool isAnonymous)
    {
        var builder = folder.NewBuilder();
        builder.Services.AddPipeline();
        builder
            .Services.AddAuthentication(HeaderAuthentication.Name)
            .AddScheme<Microsoft.AspNetCore.Authentication.AuthenticationSchemeOptions, HeaderAuthentication>(
                HeaderAuthentication.Name,
                null
            );
        builder.Services.AddAuthorization();
        var app = builder.Build();
        app.UseAuthentication().UseAuthorization();
        var endpoint = app.MapPipeline(access: a =>
            a.ForRole("reader", PipelineRights.Read("shop"))
                .ForRole("writer", PipelineRights.ReadWrite("shop"))
                .ForRole("keeper", PipelineRights.AdminOf("shop"))
                .ForRole("ops", PipelineRights.Admin)
        );
        _ = isAnonymous ? endpoint.AllowAnonymous() : endpoint.RequireAuthorization();
        await app.StartAsync();
        return app;
    }
}
