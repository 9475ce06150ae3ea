using System.Reflection;
using System.Runtime.Loader;
using System.Text.Json;
using Akka.Actor;
using Akka.Configuration;
using Pipeline.Akka.Persistence;
using Pipeline.Configuration;
using Pipeline.Database;
using ConfigurationFactory = Akka.Configuration.ConfigurationFactory;

namespace Pipeline.Hosting.Actors;

/// <summary>
/// The actor system of a configuration's <c>actors</c>. Disposal stops it, before the database is closed.
/// </summary>
internal sealed class HostedActors : IAsyncDisposable
{
    private const string Database = "worker";
    private readonly ActorSystem _system;

    private HostedActors(ActorSystem system) => _system = system;

    /// <summary>Starts the actor system and its actors.</summary>
    /// <exception cref="WorkerException">
    /// The class, its assembly or the settings file is invalid, or the actor system does not start.
    /// </exception>
    public static async Task<HostedActors> StartAsync(
        PipelineConfiguration configuration,
        DocumentDatabase database,
        CancellationToken ct
    )
    {
        var actors = configuration.Actors!;
        var starter = Make(configuration, actors);
        var settings = ConfigurationFactory
            .ParseString(Hocon(actors))
            .WithFallback(PipelinePersistence.DefaultConfiguration());
        if (actors.Hocon is { } file)
            settings = Read(configuration, file).WithFallback(settings);
        var system = ActorSystem.Create(
            actors.System,
            BootstrapSetup
                .Create()
                .WithConfig(settings)
                .And(new PipelinePersistenceSetup(new Dictionary<string, DocumentDatabase> { [Database] = database }))
        );
        try
        {
            await PipelinePersistence
                .Get(system)
                .CheckAsync("akka.persistence.journal.pipeline", ct)
                .ConfigureAwait(false);
            await starter.StartAsync(system, database, ct).ConfigureAwait(false);
            return new HostedActors(system);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            await system.Terminate().ConfigureAwait(false);
            throw new WorkerException(
                $"{configuration.File}: actors.start: '{actors.Start}' failed: {e.Message}",
                ExitCodes.Failed,
                e
            );
        }
    }

    /// <summary>Why actors cannot persist; null while they can.</summary>
    public async Task<string?> FindProblemAsync(CancellationToken ct)
    {
        if (_system.WhenTerminated.IsCompleted)
            return "the actor system has ended";
        try
        {
            await PipelinePersistence
                .Get(_system)
                .CheckAsync("akka.persistence.journal.pipeline", ct)
                .ConfigureAwait(false);
            return null;
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            return e.Message;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync() =>
        await CoordinatedShutdown
            .Get(_system)
            .Run(CoordinatedShutdown.ActorSystemTerminateReason.Instance)
            .ConfigureAwait(false);

    private static string Hocon(ActorsConfiguration actors) =>
        $$"""
            akka.persistence {
              journal.plugin = "akka.persistence.journal.pipeline"
              journal.pipeline { database = "{{Database}}", documents { enabled = {{(
                actors.Documents.Length > 0 ? "on" : "off"
            )}}, collection = {{JsonSerializer.Serialize(actors.Documents)}} } }
              snapshot-store.plugin = "akka.persistence.snapshot-store.pipeline"
              snapshot-store.pipeline { database = "{{Database}}", keep = {{actors.KeepSnapshots}}, delete-events = {{(
                actors.DeleteEvents ? "on" : "off"
            )}} }
            }
            """;

    private static Config Read(PipelineConfiguration configuration, string file)
    {
        try
        {
            return ConfigurationFactory.ParseString(File.ReadAllText(file));
        }
        catch (Exception e)
            when (e
                    is IOException
                        or UnauthorizedAccessException
                        or FormatException
                        or global::Akka.Configuration.ConfigurationException
            )
        {
            throw new WorkerException(
                $"{configuration.File}: actors.hocon: '{file}' cannot be read: {e.Message}",
                ExitCodes.Usage,
                e
            );
        }
    }

    private static IActorStarter Make(PipelineConfiguration configuration, ActorsConfiguration actors)
    {
        Type? type;
        try
        {
            type = actors.Assembly is { } file
                ? Load(file).GetType(actors.Start)
                : AppDomain
                    .CurrentDomain.GetAssemblies()
                    .Select(a => a.GetType(actors.Start))
                    .FirstOrDefault(t => t is not null);
        }
        catch (Exception e) when (e is IOException or BadImageFormatException)
        {
            throw new WorkerException(
                $"{configuration.File}: actors.assembly: '{actors.Assembly}' cannot be loaded: {e.Message}",
                ExitCodes.Usage,
                e
            );
        }

        if (type is null)
        {
            throw new WorkerException(
                $"{configuration.File}: actors.start: there is no class '{actors.Start}' in {actors.Assembly ?? "the program"}.",
                ExitCodes.Usage
            );
        }

        return type.GetConstructor([]) is not null && Activator.CreateInstance(type) is IActorStarter starter
            ? starter
            : throw new WorkerException(
                $"{configuration.File}: actors.start: '{actors.Start}' must implement {typeof(IActorStarter).FullName} and have a public constructor without parameters.",
                ExitCodes.Usage
            );
    }

    /// <summary>
    /// Loads the assembly into the default context, so that both use the same Akka types; its dependencies are loaded
    /// from its folder.
    /// </summary>
    private static Assembly Load(string file)
    {
        var resolver = new AssemblyDependencyResolver(file);
        AssemblyLoadContext.Default.Resolving += (context, name) =>
            resolver.ResolveAssemblyToPath(name) is { } path ? context.LoadFromAssemblyPath(path) : null;
        return AssemblyLoadContext.Default.LoadFromAssemblyPath(file);
    }
}
