using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>A server without a port, which answers requests of another application.</summary>
public sealed class ServerMountTests
{
    [Fact]
    public async Task It_waits_for_requests_in_progress_and_refuses_later_ones()
    {
        await using var services = Services();
        var (begun, go) = (new TaskCompletionSource(), new TaskCompletionSource());
        var mount = new ServerMount(
            services,
            async context =>
            {
                begun.SetResult();
                await go.Task;
                context.Response.StatusCode = StatusCodes.Status204NoContent;
            },
            1
        );
        HttpContext first = Request("/db/x"),
            second = Request("/db/y");
        var answered = mount.RunAsync(first, "/x", ClientIdentity.Trusted);
        await begun.Task;
        var drained = mount.DrainAsync(CancellationToken.None);
        Assert.False(drained.IsCompleted);
        await mount.RunAsync(second, "/y", ClientIdentity.Trusted);
        Assert.Equal(StatusCodes.Status503ServiceUnavailable, second.Response.StatusCode);
        go.SetResult();
        await Task.WhenAll(answered, drained);
        Assert.Equal(StatusCodes.Status204NoContent, first.Response.StatusCode);
    }

    [Fact]
    public async Task When_the_time_is_up_it_aborts_what_is_left()
    {
        await using var services = Services();
        var aborted = new TaskCompletionSource();
        var mount = new ServerMount(services, _ => aborted.Task, 1);
        HttpContext request = Request("/db/x");
        request.Features.Set<IHttpRequestLifetimeFeature>(new Lifetime(aborted));
        var answered = mount.RunAsync(request, "/x", ClientIdentity.Trusted);
        await mount.DrainAsync(new CancellationToken(canceled: true));
        await answered;
    }

    [Fact]
    public async Task The_inner_request_has_its_own_path_services_and_identity_and_the_outer_one_gets_its_own_back()
    {
        await using var services = Services();
        await using var outer = new ServiceCollection().BuildServiceProvider();
        HttpContext request = Request("/db/databases/x");
        request.RequestServices = outer;
        request.Items["outer"] = true;
        request.SetEndpoint(new Endpoint(null, null, "outer"));
        var seen = "";
        var mount = new ServerMount(
            services,
            inner =>
            {
                seen =
                    $"{inner.Request.PathBase} {inner.Request.Path} {inner.GetEndpoint()} {inner.Items.Count} {inner.RequestServices == outer} {inner.RequestServices.GetService<IHttpContextFactory>() is not null} {ClientIdentity.Of(inner).IsAdmin}";
                inner.SetEndpoint(new Endpoint(null, null, "inner"));
                return Task.CompletedTask;
            },
            1
        );
        await mount.RunAsync(request, "/databases/x", ClientIdentity.Trusted);
        Assert.Equal("/app/db /databases/x  0 False True True", seen);
        Assert.Equal(
            ("/app", "/db/databases/x", "outer", outer),
            (
                request.Request.PathBase,
                request.Request.Path,
                request.GetEndpoint()!.DisplayName,
                request.RequestServices
            )
        );
        Assert.Null(request.Features.Get<MountedRequest>());
    }

    [Fact]
    public async Task A_server_without_a_port_listens_nowhere()
    {
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions { HasPort = false, Url = new Uri("http://192.0.2.1:80") }
        );
        Assert.False(server.HasPort);
        Assert.Empty(server.DatabaseNames);
    }

    private static ServiceProvider Services() =>
        new ServiceCollection()
            .AddSingleton<IHttpContextFactory, DefaultHttpContextFactory>()
            .AddOptions()
            .BuildServiceProvider();

    private static DefaultHttpContext Request(string path) => new() { Request = { PathBase = "/app", Path = path } };

    private sealed class Lifetime(TaskCompletionSource aborted) : IHttpRequestLifetimeFeature
    {
        public CancellationToken RequestAborted { get; set; }

        public void Abort() => aborted.SetResult();
    }
}
