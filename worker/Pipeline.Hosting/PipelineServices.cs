using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Etl.Transforms;
using Pipeline.Hosting.Clients;
using Pipeline.Hosting.Databases;
using Pipeline.Hosting.Workers;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting;

/// <summary>Adds workers, databases and clients to an application's services.</summary>
/// <remarks>
/// The host opens them before it starts other hosted services, and closes them after it has stopped the others.
/// <see cref="IDocumentStore"/> can be injected everywhere. <see cref="PipelineWorker"/>,
/// <see cref="DocumentDatabase"/> and <see cref="SubscriptionHost"/> can be resolved once the host has opened them;
/// before that, they are an <see cref="InvalidOperationException"/>.
/// </remarks>
public static class PipelineServices
{
    /// <summary>
    /// Runs what a <c>pipeline.yaml</c> describes with the application. Registers <see cref="PipelineWorker"/>,
    /// <see cref="DocumentDatabase"/>,
    /// <see cref="SubscriptionHost"/>, <see cref="IDocumentStore"/> and, for each scope,
    /// <see cref="IDocumentSession"/>.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <param name="configurationFile">The file; <c>Pipeline:ConfigurationFile</c> replaces it.</param>
    /// <param name="configure">Changes the options that the section <c>Pipeline</c> has set.</param>
    /// <exception cref="InvalidOperationException">It was added already; further ones need a key.</exception>
    public static IServiceCollection AddPipeline(
        this IServiceCollection services,
        string configurationFile = "pipeline.yaml",
        Action<PipelineHostOptions>? configure = null
    ) => AddWorker(services, null, configurationFile, configure);

    /// <summary>
    /// Runs one more worker with the application. Its services are registered with the key, its options are in the
    /// section <c>Pipeline:KEY</c>.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <param name="key">The key.</param>
    /// <param name="configurationFile">The file; <c>Pipeline:KEY:ConfigurationFile</c> replaces it.</param>
    /// <param name="configure">Changes the options that the section has set.</param>
    /// <exception cref="ArgumentException">The key is empty or the name of an option.</exception>
    /// <exception cref="InvalidOperationException">The key is in use.</exception>
    public static IServiceCollection AddKeyedPipeline(
        this IServiceCollection services,
        string key,
        string configurationFile = "pipeline.yaml",
        Action<PipelineHostOptions>? configure = null
    ) => AddWorker(services, HostSection.CheckKey(key), configurationFile, configure);

    /// <summary>
    /// Opens a database with the application, without tasks. Registers <see cref="DocumentDatabase"/>,
    /// <see cref="SubscriptionHost"/>, <see cref="IDocumentStore"/> and, for each scope,
    /// <see cref="IDocumentSession"/>: with the name as their key, and without a key unless another database or worker
    /// has done that before.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <param name="name">The database's name.</param>
    /// <param name="path">The data folder, from the host's content root; <see langword="null"/> keeps everything in
    /// memory. <c>Pipeline:NAME:DataFolder</c> and
    /// <c>Pipeline:NAME:InMemory</c> replace it.</param>
    /// <param name="configure">Changes the options.</param>
    /// <param name="store">How the injected store maps classes to documents.</param>
    /// <exception cref="ArgumentException">The name is empty or that of an option.</exception>
    /// <exception cref="InvalidOperationException">The name is in use.</exception>
    public static IServiceCollection AddPipelineDatabase(
        this IServiceCollection services,
        string name,
        string? path,
        Func<DatabaseOptions, DatabaseOptions>? configure = null,
        DocumentStoreOptions? store = null
    )
    {
        ArgumentNullException.ThrowIfNull(services);
        HostSection.CheckKey(name);
        var source = new SourceRegistration(services, name, isDefault: !SourceRegistration.HasDefault(services));
        source.AddHosted(provider => new HostedDatabase(provider, name, path, configure, store));
        source.Add<IDocumentSource>(provider => provider.GetRequiredKeyedService<HostedDatabase>(name));
        AddOpened(source);
        return services;
    }

    /// <summary>
    /// Connects to a database of a running worker. Registers <see cref="IDocumentStore"/> and, for each scope,
    /// <see cref="IDocumentSession"/>: with the connection's name as their key, and without a key unless another
    /// database or worker has done that before.
    /// </summary>
    /// <remarks>
    /// <c>ConnectionStrings:NAME</c> is <c>http://host:8080/databases/orders</c>, or
    /// <c>Url=http://host:8080;Database=orders</c>. Without a database, the connection's name is the database's name. A
    /// missing or malformed one is an error at the start.
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="connectionName">The connection string's name.</param>
    /// <param name="store">How the store maps classes to documents.</param>
    /// <returns>The HTTP client, for tokens, certificates and retries.</returns>
    /// <exception cref="InvalidOperationException">The name is in use.</exception>
    public static IHttpClientBuilder AddPipelineClient(
        this IServiceCollection services,
        string connectionName,
        DocumentStoreOptions? store = null
    )
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrWhiteSpace(connectionName);
        var source = new SourceRegistration(
            services,
            connectionName,
            isDefault: !SourceRegistration.HasDefault(services)
        );
        services
            .AddOptions<ClientConnection>(connectionName)
            .Configure<IConfiguration>((connection, configuration) => connection.Read(configuration, connectionName))
            .ValidateOnStart();
        source.Add<IDocumentSource>(provider => new ConnectedDatabase(provider, connectionName, store));
        source.AddStore();

        // The store keeps its client, so the handler lives as long and renews its connections: that is how a changed
        // address is noticed.
        return services
            .AddHttpClient(ConnectedDatabase.ClientName(connectionName))
            .UseSocketsHttpHandler(
                (handler, _) => handler.PooledConnectionLifetime = ConnectedDatabase.ConnectionLifetime
            )
            .SetHandlerLifetime(Timeout.InfiniteTimeSpan);
    }

    /// <summary>
    /// Registers a transform that is a class of the application; tasks name it with <c>class: NAME</c>. One instance,
    /// made from the application's services, serves all workers; see <see cref="IEtlTransform{T}"/>.
    /// </summary>
    /// <typeparam name="TTransform">A class that implements <see cref="IEtlTransform{T}"/>.</typeparam>
    /// <param name="services">The application's services.</param>
    /// <param name="name">The name that tasks use; the class's name where <see langword="null"/>.</param>
    public static IServiceCollection AddEtlTransform<TTransform>(this IServiceCollection services, string? name = null)
        where TTransform : class
    {
        ArgumentNullException.ThrowIfNull(services);
        services.TryAddSingleton<TTransform>();
        return services.AddSingleton(
            new TransformRegistration(
                name ?? typeof(TTransform).Name,
                static provider => provider.GetRequiredService<TTransform>()
            )
        );
    }

    private static IServiceCollection AddWorker(
        IServiceCollection services,
        string? key,
        string configurationFile,
        Action<PipelineHostOptions>? configure
    )
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrWhiteSpace(configurationFile);
        var source = new SourceRegistration(services, key, isDefault: key is null);
        var options = services
            .AddOptions<PipelineHostOptions>(key ?? Options.DefaultName)
            .Configure<IConfiguration>(
                (o, configuration) =>
                {
                    HostSection.Checked(configuration, key, HostSection.OfWorkers);
                    o.ConfigurationFile = configurationFile;
                }
            )
            .BindConfiguration(HostSection.Of(key));
        if (configure is not null)
            options.Configure(configure);
        source.AddHosted(provider => new HostedWorker(provider, key));
        source.Add<IDocumentSource>(provider => provider.GetRequiredKeyedService<HostedWorker>(source.Key));
        source.Add(provider => provider.GetRequiredKeyedService<HostedWorker>(source.Key).Worker);
        source.AddCloser(provider => provider.GetRequiredKeyedService<HostedWorker>(source.Key));
        AddOpened(source);
        return services;
    }

    private static void AddOpened(SourceRegistration source)
    {
        source.Add(provider => source.Opened(provider).Database);
        source.Add(provider => source.Opened(provider).Subscriptions);
        source.AddStore();
    }
}
