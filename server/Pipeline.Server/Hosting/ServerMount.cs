using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Server.Security;

namespace Pipeline.Server.Hosting;

/// <summary>Answers requests that arrived in another web application, below a path of it. Thread-safe.</summary>
/// <remarks>
/// The request shares its features with the outer application, so bodies, web sockets and streams are not copied.
/// Features that tie a request to its application (services, endpoint, route values, items) are separate.
/// </remarks>
internal sealed class ServerMount(IServiceProvider services, RequestDelegate pipeline, long maxRequestBytes)
{
    private static readonly TimeSpan AbortTime = TimeSpan.FromSeconds(1);
    private readonly IHttpContextFactory _contexts = services.GetRequiredService<IHttpContextFactory>();
    private readonly IServiceScopeFactory _scopes = services.GetRequiredService<IServiceScopeFactory>();
    private readonly Lock _gate = new();
    private readonly HashSet<HttpContext> _running = [];
    private TaskCompletionSource? _drained;

    /// <summary>Answers a request.</summary>
    /// <param name="outer">The request in the outer application.</param>
    /// <param name="rest">The end of its path, from the slash after the mount's path on.</param>
    /// <param name="client">The client's identity, as the caller knows it.</param>
    public async Task RunAsync(HttpContext outer, PathString rest, ClientIdentity client)
    {
        if (!TryBegin(outer))
        {
            outer.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            return;
        }
        var (pathBase, path) = (outer.Request.PathBase, outer.Request.Path);
        try
        {
            var full = path.Value!;
            outer.Request.PathBase = pathBase.Add(full[..^rest.Value!.Length]);
            outer.Request.Path = rest;
            if (outer.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } size)
                size.MaxRequestBodySize = maxRequestBytes;
            var inner = _contexts.Create(Isolate(outer.Features, client));
            try
            {
                inner.Features.Set<IServiceProvidersFeature>(new RequestServicesFeature(inner, _scopes));
                await pipeline(inner).ConfigureAwait(false);
            }
            finally
            {
                _contexts.Dispose(inner);
            }
        }
        finally
        {
            (outer.Request.PathBase, outer.Request.Path) = (pathBase, path);
            End(outer);
        }
    }

    /// <summary>
    /// Refuses further requests and waits for those in progress; aborts the rest when the time is up.
    /// </summary>
    public async Task DrainAsync(CancellationToken deadline)
    {
        Task drained;
        lock (_gate)
        {
            _drained ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            if (_running.Count == 0)
                _drained.TrySetResult();
            drained = _drained.Task;
        }
        try
        {
            await drained.WaitAsync(deadline).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (deadline.IsCancellationRequested)
        {
            AbortAll();
            await Task.WhenAny(drained, Task.Delay(AbortTime, CancellationToken.None)).ConfigureAwait(false);
        }
    }

    private static FeatureCollection Isolate(IFeatureCollection outer, ClientIdentity client)
    {
        var features = new FeatureCollection(outer);
        features.Set<IEndpointFeature>(new NoEndpoint());
        features.Set<IRouteValuesFeature>(new RouteValuesFeature());
        features.Set<IItemsFeature>(new ItemsFeature());
        features.Set(MountedRequest.Instance);
        features.Set(client);
        return features;
    }

    private bool TryBegin(HttpContext request)
    {
        lock (_gate)
            return _drained is null && _running.Add(request);
    }

    private void End(HttpContext request)
    {
        lock (_gate)
        {
            _running.Remove(request);
            if (_running.Count == 0)
                _drained?.TrySetResult();
        }
    }

    private void AbortAll()
    {
        HttpContext[] left;
        lock (_gate)
            left = [.. _running];
        foreach (var request in left)
            request.Abort();
    }

    private sealed class NoEndpoint : IEndpointFeature
    {
        public Endpoint? Endpoint { get; set; }
    }
}
