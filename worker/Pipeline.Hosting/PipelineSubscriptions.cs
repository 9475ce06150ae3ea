using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Pipeline.Client;
using Pipeline.Hosting.Health;
using Pipeline.Hosting.Subscriptions;

namespace Pipeline.Hosting;

/// <summary>Runs handlers of subscriptions with an application.</summary>
/// <remarks>
/// A handler that throws has its document delivered again, as the subscription's definition says, and then parked as a
/// dead letter. A lost connection is made again. An error that does not pass, such as a missing subscription, ends the
/// handler and is treated as that of any <see cref="BackgroundService"/>: the host stops.
/// </remarks>
public static class PipelineSubscriptions
{
    /// <summary>Hands each document of a subscription to a handler, in a new scope.</summary>
    /// <typeparam name="T">The class of the documents.</typeparam>
    /// <typeparam name="THandler">The handler, registered as scoped unless it is registered already.</typeparam>
    /// <param name="services">The application's services.</param>
    /// <param name="name">The subscription.</param>
    /// <param name="configure">Changes the options.</param>
    public static IServiceCollection AddPipelineSubscription<T, THandler>(
        this IServiceCollection services,
        string name,
        Action<HostedSubscriptionOptions>? configure = null
    )
        where T : class
        where THandler : class, ISubscriptionHandler<T>
    {
        ArgumentNullException.ThrowIfNull(services);
        services.TryAddScoped<THandler>();
        return services.AddPipelineSubscription<T>(
            name,
            (item, scope, ct) => scope.GetRequiredService<THandler>().HandleAsync(item, ct),
            Probing<THandler>(configure)
        );
    }

    /// <summary>Hands each document of a subscription to a function, with the services of a new scope.</summary>
    /// <param name="services">The application's services.</param>
    /// <param name="name">The subscription.</param>
    /// <param name="handler">Processes a document.</param>
    /// <param name="configure">Changes the options.</param>
    public static IServiceCollection AddPipelineSubscription<T>(
        this IServiceCollection services,
        string name,
        Func<SubscriptionItem<T>, IServiceProvider, CancellationToken, Task> handler,
        Action<HostedSubscriptionOptions>? configure = null
    )
        where T : class
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(
            services,
            name,
            configure,
            (provider, options) => new HostedItems<T>(provider, name, options, handler)
        );
    }

    /// <summary>Hands each batch of a subscription to a handler, in a new scope.</summary>
    /// <typeparam name="T">The class of the documents.</typeparam>
    /// <typeparam name="THandler">The handler, registered as scoped unless it is registered already.</typeparam>
    /// <param name="services">The application's services.</param>
    /// <param name="name">The subscription.</param>
    /// <param name="configure">Changes the options.</param>
    public static IServiceCollection AddPipelineBatchSubscription<T, THandler>(
        this IServiceCollection services,
        string name,
        Action<HostedSubscriptionOptions>? configure = null
    )
        where T : class
        where THandler : class, ISubscriptionBatchHandler<T>
    {
        ArgumentNullException.ThrowIfNull(services);
        services.TryAddScoped<THandler>();
        return Add(
            services,
            name,
            Probing<THandler>(configure),
            (provider, options) =>
                new HostedBatches<T>(
                    provider,
                    name,
                    options,
                    (batch, scope, ct) => scope.GetRequiredService<THandler>().HandleAsync(batch, ct)
                )
        );
    }

    /// <summary>
    /// Checks the handlers of a subscription: unhealthy if one has ended, degraded while one reconnects. One that waits
    /// for its place is healthy.
    /// </summary>
    /// <param name="builder">The application's health checks.</param>
    /// <param name="subscription">The subscription.</param>
    /// <param name="name">The check's name; <see langword="null"/> takes the subscription's.</param>
    /// <param name="failureStatus">The status in place of unhealthy.</param>
    /// <param name="tags">Tags, by which the application selects checks.</param>
    public static IHealthChecksBuilder AddPipelineSubscription(
        this IHealthChecksBuilder builder,
        string subscription,
        string? name = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null
    )
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(subscription);
        return builder.Add(
            new HealthCheckRegistration(
                name ?? subscription,
                services => new SubscriptionHealthCheck(services, subscription),
                failureStatus,
                tags
            )
        );
    }

    private static Action<HostedSubscriptionOptions> Probing<THandler>(Action<HostedSubscriptionOptions>? configure)
        where THandler : class =>
        options =>
        {
            configure?.Invoke(options);
            options.Probe = scope => scope.GetRequiredService<THandler>();
        };

    private static IServiceCollection Add(
        IServiceCollection services,
        string name,
        Action<HostedSubscriptionOptions>? configure,
        Func<IServiceProvider, HostedSubscriptionOptions, HostedSubscription> make
    )
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(name);
        var options = new HostedSubscriptionOptions();
        configure?.Invoke(options);

        // Not AddHostedService, which takes one service of a class only.
        return services.AddSingleton<IHostedService>(provider => make(provider, options));
    }
}
