using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Pipeline.Hosting.Databases;
using Pipeline.Hosting.Workers;

namespace Pipeline.Hosting;

/// <summary>
/// Registers the services of one worker, database or connection: with its key, without a key, or both.
/// </summary>
internal sealed class SourceRegistration
{
    private readonly IServiceCollection _services;
    private readonly bool _isDefault;
    private readonly bool _hasKey;

    /// <summary>Begins the registration.</summary>
    /// <param name="services">The application's services.</param>
    /// <param name="key">The key of its services; null registers them without a key only.</param>
    /// <param name="isDefault">Whether its services are also those without a key.</param>
    /// <exception cref="InvalidOperationException">The key is in use.</exception>
    public SourceRegistration(IServiceCollection services, string? key, bool isDefault)
    {
        (_services, _isDefault, _hasKey, Key) = (services, isDefault, key is not null, key ?? "");
        if (services.Any(d => d.IsKeyedService && d.ServiceType == typeof(Registered) && Equals(d.ServiceKey, Key)))
        {
            throw new InvalidOperationException(
                key is null
                    ? $"{nameof(PipelineServices.AddPipeline)} was called twice; add further workers with {nameof(PipelineServices.AddKeyedPipeline)} and a key"
                    : $"Pipeline has a worker, database or connection '{key}' already; choose another name"
            );
        }
        services.AddKeyedSingleton(Key, new Registered());
    }

    /// <summary>The key of the services that only this package sees; empty for a worker without a key.</summary>
    public string Key { get; }

    /// <summary>Whether some worker, database or connection serves those that ask without a key.</summary>
    public static bool HasDefault(IServiceCollection services) =>
        services.Any(d => !d.IsKeyedService && d.ServiceType == typeof(IDocumentSource));

    /// <summary>Adds what the host opens and closes.</summary>
    public void AddHosted<T>(Func<IServiceProvider, T> make)
        where T : class, IHostedService
    {
        _services.AddKeyedSingleton(Key, (provider, _) => make(provider));
        _services.AddSingleton<IHostedService>(provider => provider.GetRequiredKeyedService<T>(Key));
    }

    /// <summary>Adds a service.</summary>
    public void Add<T>(Func<IServiceProvider, T> make)
        where T : class
    {
        if (_hasKey)
            _services.AddKeyedSingleton(Key, (provider, _) => make(provider));
        if (_isDefault)
            _services.AddSingleton(provider => _hasKey ? provider.GetRequiredKeyedService<T>(Key) : make(provider));
    }

    /// <summary>Adds the store, and a session for each scope.</summary>
    public void AddStore()
    {
        Add(provider => Source(provider).Store);
        if (_hasKey)
            _services.AddKeyedScoped(Key, (provider, _) => Source(provider).Store.OpenSession());
        if (_isDefault)
            _services.AddScoped(provider => Source(provider).Store.OpenSession());
    }

    /// <summary>
    /// Adds what ends a worker if the services are disposed before the host has stopped, as they are after a failed
    /// start.
    /// </summary>
    public void AddCloser(Func<IServiceProvider, HostedWorker> worker) =>
        _services.AddKeyedSingleton(Key, (provider, _) => new WorkerCloser(worker(provider)));

    /// <summary>The database, once the host has opened it.</summary>
    /// <exception cref="InvalidOperationException">It is not open yet.</exception>
    public IOpenedDatabase Opened(IServiceProvider provider) => (IOpenedDatabase)Source(provider);

    private IDocumentSource Source(IServiceProvider provider) =>
        _hasKey
            ? provider.GetRequiredKeyedService<IDocumentSource>(Key)
            : provider.GetRequiredService<IDocumentSource>();

    private sealed class Registered;
}
