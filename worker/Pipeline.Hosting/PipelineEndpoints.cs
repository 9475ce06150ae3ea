using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pipeline.Hosting.Mapping;
using Pipeline.Hosting.Workers;

namespace Pipeline.Hosting;

/// <summary>Adds a worker's server to the endpoints of an ASP.NET Core application.</summary>
public static class PipelineEndpoints
{
    /// <summary>
    /// Serves everything of a worker below a path: databases in RavenDB's protocol, Studio, health, metrics, tasks.
    /// RavenDB's subscriptions over TCP connect to the worker's own port (<see cref="PipelineHostOptions.Listens"/>).
    /// </summary>
    /// <remarks>
    /// Without <paramref name="access"/>, every client that reaches it is an admin: it may read and change all
    /// databases, and define indexes in C#, which run as the application. Therefore clients on other machines are
    /// refused (403) unless the endpoint requires authorization or allows everybody. <c>server.clients</c> of the file
    /// does not apply here.
    /// </remarks>
    /// <param name="endpoints">The application's endpoints.</param>
    /// <param name="path">The path; Studio is at the path with a slash at its end.</param>
    /// <param name="key">The worker's key; without it, the worker without a key.</param>
    /// <param name="access">The rights of the application's users, by their roles and claims. A user without a rule has
    /// no rights, nor has a client that is not authenticated, even on this machine.</param>
    /// <returns>The endpoint. Call <c>RequireAuthorization()</c> on it to set its authorization policy.</returns>
    /// <exception cref="ArgumentException">The path does not begin with a slash.</exception>
    /// <exception cref="InvalidOperationException">There is no such worker.</exception>
    public static IEndpointConventionBuilder MapPipeline(
        this IEndpointRouteBuilder endpoints,
        string path = "/pipeline",
        string? key = null,
        Action<PipelineAccess>? access = null
    )
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(path);
        if (path[0] != '/')
            throw new ArgumentException($"'{path}' is not a path: write '/{path}'", nameof(path));
        var services = endpoints.ServiceProvider;
        var worker =
            services.GetKeyedService<HostedWorker>(key ?? "")
            ?? throw new InvalidOperationException(
                key is null
                    ? $"There is no Pipeline worker to map to {path}: call {nameof(PipelineServices.AddPipeline)} on the application's services first, or name the key of a worker"
                    : $"There is no Pipeline worker '{key}' to map to {path}: call {nameof(PipelineServices.AddKeyedPipeline)} on the application's services first, or correct the key"
            );
        worker.MappedPath = path;
        var mapped = new MappedServer(
            worker,
            UsersOf(access),
            services.GetRequiredService<ILoggerFactory>().CreateLogger(HostingLog.Category)
        );
        return endpoints
            .Map($"{path.TrimEnd('/')}/{{**{MappedServer.Rest}}}", mapped.RunAsync)
            .WithDisplayName("Pipeline " + path);
    }

    private static MappedUsers? UsersOf(Action<PipelineAccess>? configure)
    {
        if (configure is null)
            return null;
        var access = new PipelineAccess();
        configure(access);
        return new MappedUsers(access);
    }
}
