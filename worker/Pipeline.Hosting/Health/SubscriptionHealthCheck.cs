using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Pipeline.Hosting.Subscriptions;

namespace Pipeline.Hosting.Health;

/// <summary>Checks the handlers of a subscription.</summary>
internal sealed class SubscriptionHealthCheck(IServiceProvider services, string subscription) : IHealthCheck
{
    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context,
        CancellationToken cancellationToken = default
    )
    {
        HostedSubscription[] handlers =
        [
            .. services
                .GetServices<IHostedService>()
                .OfType<HostedSubscription>()
                .Where(h => string.Equals(h.Name, subscription, StringComparison.OrdinalIgnoreCase)),
        ];
        var failure = context.Registration.FailureStatus;
        return Task.FromResult(
            handlers.Length == 0
                ? new HealthCheckResult(failure, $"no handler of a subscription '{subscription}' is registered")
            : handlers.FirstOrDefault(h => h.ExecuteTask is { IsCompleted: true }) is { } over
                ? new HealthCheckResult(
                    failure,
                    $"the handler has ended: {over.ExecuteTask!.Exception?.GetBaseException().Message ?? "the host stops"}",
                    over.ExecuteTask.Exception?.GetBaseException()
                )
            : handlers.Select(h => h.Trouble).FirstOrDefault(t => t is not null) is { } trouble
                ? HealthCheckResult.Degraded(trouble.Message, trouble)
            : HealthCheckResult.Healthy()
        );
    }
}
