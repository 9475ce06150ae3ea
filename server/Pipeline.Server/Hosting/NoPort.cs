using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Http.Features;

namespace Pipeline.Server.Hosting;

/// <summary>
/// The web server of a <see cref="PipelineServer"/> that listens nowhere: its requests come through its
/// <see cref="ServerMount"/>.
/// </summary>
internal sealed class NoPort : IServer
{
    /// <inheritdoc/>
    public IFeatureCollection Features { get; } = new FeatureCollection();

    /// <inheritdoc/>
    public Task StartAsync<TContext>(IHttpApplication<TContext> application, CancellationToken cancellationToken)
        where TContext : notnull => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public void Dispose()
    {
        // Nothing is open.
    }
}
