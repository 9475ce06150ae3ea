using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Pipeline.Hosting.Databases;

namespace Pipeline.Hosting.Health;

/// <summary>Checks a worker, a database or a connection.</summary>
internal sealed class PipelineHealthCheck(IServiceProvider services, string? key) : IHealthCheck
{
    /// <inheritdoc/>
    public async Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context,
        CancellationToken cancellationToken = default
    )
    {
        var failure = context.Registration.FailureStatus;
        var source = key is null
            ? services.GetService<IDocumentSource>()
            : services.GetKeyedService<IDocumentSource>(key);
        return source is null
            ? new HealthCheckResult(
                failure,
                key is null
                    ? "there is nothing to check; call AddPipeline, AddPipelineDatabase or AddPipelineClient, or name a key"
                    : $"there is no worker, database or connection '{key}'; add it, or correct the key of the health check"
            )
            : await source.CheckAsync(failure, cancellationToken).ConfigureAwait(false);
    }
}
