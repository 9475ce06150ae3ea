using System.Reflection;
using System.Runtime.Loader;
using System.Text.Json;
using Akka.Actor;
using Akka.Actor.Setup;
using Akka.Configuration;
using Akka.Hosting.Logging;
using Akka.Util;
using Microsoft.Extensions.Logging;
using Pipeline.Akka.Persistence;
using Pipeline.Configuration;
using Pipeline.Database;
using ConfigurationFactory = Akka.Configuration.ConfigurationFactory;

namespace Pipeline.Hosting.Actors;

/// <summary>What a configuration's <c>actors</c> is for Akka: the class that starts the actors, and the settings.</summary>
internal static class ActorSettings
{
    /// <summary>The name of the worker's database in the settings of the plugins.</summary>
    private const string Database = "worker";

    /// <summary>Akka writes to the worker's log, and nowhere else.</summary>
    private static readonly string Logging = $$"""
        akka.loggers = ["{{typeof(LoggerFactoryLogger).TypeQualifiedName()}}"]
        akka.stdout-loglevel = OFF
        """;

    /// <summary>The settings of the actor system: those of the configuration's file before the worker's.</summary>
    /// <param name="configuration">The configuration; its actors are not null.</param>
    /// <param name="more">Settings that come before the plugins' and after the file's.</param>
    /// <exception cref="WorkerException">The file of settings cannot be read.</exception>
    public static Config Read(PipelineConfiguration configuration, Config? more = null)
    {
        var actors = configuration.Actors!;
        var settings = ConfigurationFactory
            .ParseString(Logging)
            .WithFallback(ConfigurationFactory.ParseString(Hocon(actors)))
            .WithFallback(PipelinePersistence.DefaultConfiguration());
        if (more is not null)
            settings = more.WithFallback(settings);
        return actors.Hocon is { } file ? Read(configuration, file).WithFallback(settings) : settings;
    }

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

    /// <summary>What an actor system gets from its worker: settings, loggers and the open database.</summary>
    /// <param name="settings">The settings.</param>
    /// <param name="database">The worker's database.</param>
    /// <param name="loggers">The worker's loggers.</param>
    public static ActorSystemSetup SetUp(Config settings, DocumentDatabase database, ILoggerFactory loggers) =>
        BootstrapSetup
            .Create()
            .WithConfig(settings)
            .And(new LoggerFactorySetup(loggers))
            .And(new PipelinePersistenceSetup(new Dictionary<string, DocumentDatabase> { [Database] = database }));

    /// <summary>Makes an object of the class that starts the actors.</summary>
    /// <exception cref="WorkerException">The class or its assembly is invalid.</exception>
    public static IActorStarter MakeStarter(PipelineConfiguration configuration)
    {
        var actors = configuration.Actors!;
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
