using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Pipeline.Hosting.Health;

namespace Pipeline.Hosting;

/// <summary>Adds Pipeline to an application's health checks.</summary>
public static class PipelineHealth
{
    /// <summary>
    /// Checks a worker, a database or a connection. A worker is checked as <c>/health/ready</c> does it: unready is
    /// unhealthy, warnings are degraded. The data has the finding of each check, and the description names those that
    /// failed. A connection asks its server for the database.
    /// </summary>
    /// <param name="builder">The application's health checks.</param>
    /// <param name="name">The check's name.</param>
    /// <param name="key">
    /// The key of the worker, database or connection; without it, the one that is injected without a key.
    /// </param>
    /// <param name="failureStatus">The status in place of unhealthy.</param>
    /// <param name="tags">Tags, by which the application selects checks.</param>
    /// <param name="timeout">The time limit of a check; none by default.</param>
    public static IHealthChecksBuilder AddPipeline(
        this IHealthChecksBuilder builder,
        string name = "pipeline",
        string? key = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null,
        TimeSpan? timeout = null
    )
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(
            new HealthCheckRegistration(
                name,
                services => new PipelineHealthCheck(services, key),
                failureStatus,
                tags,
                timeout
            )
        );
    }
}
