using Akka.Actor;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Pipeline.Akka.Persistence.Hosting;

/// <summary>Checks the database of a set of plugins. Thread-safe.</summary>
/// <param name="system">The actor system.</param>
/// <param name="name">The plugins' name.</param>
public sealed class PipelinePersistenceHealthCheck(ActorSystem system, string name) : IHealthCheck
{
    /// <inheritdoc/>
    public async Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context,
        CancellationToken cancellationToken = default
    )
    {
        try
        {
            await PipelinePersistence
                .Get(system)
                .CheckAsync($"akka.persistence.journal.{name}", cancellationToken)
                .ConfigureAwait(false);
            return HealthCheckResult.Healthy();
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            return new HealthCheckResult(
                context?.Registration.FailureStatus ?? HealthStatus.Unhealthy,
                $"Actors cannot persist: {e.Message}",
                e
            );
        }
    }
}
