using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pipeline.Client;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting;

/// <summary>Runs projections of events with an application.</summary>
public static class PipelineProjections
{
    /// <summary>
    /// Keeps the documents of a projection up to date while the host runs. After an error it waits, one second at
    /// first and a minute at most, and tries again from the stored progress; each error is logged.
    /// </summary>
    /// <typeparam name="TDocument">The class of the documents.</typeparam>
    /// <typeparam name="TProjection">The projection, registered as a singleton unless it is registered already.</typeparam>
    /// <param name="services">The application's services.</param>
    /// <param name="key">The key of the database; <see langword="null"/> for the one without a key.</param>
    public static IServiceCollection AddPipelineProjection<TDocument, TProjection>(
        this IServiceCollection services,
        string? key = null
    )
        where TDocument : class, new()
        where TProjection : DocumentProjection<TDocument>
    {
        ArgumentNullException.ThrowIfNull(services);
        services.TryAddSingleton<TProjection>();
        // Not AddHostedService, which takes one service of a class only.
        return services.AddSingleton<IHostedService>(provider => new HostedProjection<TDocument>(
            provider,
            provider.GetRequiredService<TProjection>(),
            key
        ));
    }
}

/// <summary>Runs a projection with the host.</summary>
internal sealed class HostedProjection<TDocument>(
    IServiceProvider services,
    DocumentProjection<TDocument> projection,
    string? key
) : BackgroundService
    where TDocument : class, new()
{
    private static readonly RetryBackoff Retries = new(TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(1));
    private readonly TimeProvider _time = services.GetService<TimeProvider>() ?? TimeProvider.System;
    private readonly ILogger _logger = services.GetRequiredService<ILoggerFactory>().CreateLogger(HostingLog.Category);

    /// <inheritdoc/>
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        var store = key is null
            ? services.GetRequiredService<IDocumentStore>()
            : services.GetRequiredKeyedService<IDocumentStore>(key);
        for (var runs = 1; ; runs++)
        {
            var started = _time.GetTimestamp();
            try
            {
                await store.Events.ProjectAsync(projection, cancellationToken: stoppingToken).ConfigureAwait(false);
            }
            catch (Exception e) when (!stoppingToken.IsCancellationRequested)
            {
                // A run that went well for a while begins with short waits again.
                if (_time.GetElapsedTime(started) > Retries.Longest)
                    runs = 1;
                HostingLog.ProjectionFailed(_logger, projection.Name, Retries.After(runs), e);
            }

            await Task.Delay(Retries.After(runs), _time, stoppingToken).ConfigureAwait(false);
        }
    }
}
