using System.Collections.Concurrent;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Akka.Actor;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Pipeline.Database;

namespace Pipeline.Akka.Persistence.Hosting;

/// <summary>Adds persistence to actor systems of Akka.Hosting.</summary>
public static class PipelinePersistenceHostingExtensions
{
    private static readonly ConditionalWeakTable<
        AkkaConfigurationBuilder,
        ConcurrentDictionary<string, DocumentDatabase>
    > Databases = [];

    /// <summary>
    /// Adds a journal, a snapshot store and a read journal. Call it again with another
    /// <see cref="PipelinePersistenceOptions.Name"/> to add more.
    /// </summary>
    /// <param name="builder">The actor system's configuration.</param>
    /// <param name="options">Where events are kept, and how.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentException">The options do not say where events are stored.</exception>
    public static AkkaConfigurationBuilder WithPipelinePersistence(
        this AkkaConfigurationBuilder builder,
        PipelinePersistenceOptions options
    )
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(options);
        if ((options.Database is null ? 0 : 1) + (options.Path is null ? 0 : 1) + (options.Url is null ? 0 : 1) != 1)
        {
            throw new ArgumentException(
                $"The persistence plugins '{options.Name}' need exactly one of {nameof(options.Database)}, {nameof(options.Path)} and {nameof(options.Url)}.",
                nameof(options)
            );
        }

        if (options.Url is not null && string.IsNullOrEmpty(options.RemoteDatabase))
        {
            throw new ArgumentException(
                $"The persistence plugins '{options.Name}' have a {nameof(options.Url)} but no {nameof(options.RemoteDatabase)}.",
                nameof(options)
            );
        }

        if (options.Database is { } database)
        {
            var given = Databases.GetOrCreateValue(builder);
            given[options.Name] = database;
            builder.AddSetup(new PipelinePersistenceSetup(given));
        }

        // Must precede our own settings, since it adds Akka's default plugins too.
        if (options.Adapters is { } adapters)
            builder.WithJournal(new AdapterOptions(options.Name), adapters);
        builder.AddHocon(ToHocon(options), HoconAddMode.Prepend);
        builder.AddHocon(PipelinePersistence.DefaultConfiguration(), HoconAddMode.Append);
        if (options.CheckAtStart)
        {
            builder.AddStartup(
                (system, _) => PipelinePersistence.Get(system).CheckAsync($"akka.persistence.journal.{options.Name}")
            );
        }

        return builder;
    }

    /// <summary>
    /// Adds a health check that tests whether the plugins' database can be opened, reached and written, even while no
    /// actor is active.
    /// </summary>
    /// <param name="checks">The health checks.</param>
    /// <param name="name">The <see cref="PipelinePersistenceOptions.Name"/> of the plugins.</param>
    /// <returns>The health checks.</returns>
    public static IHealthChecksBuilder AddPipelinePersistence(
        this IHealthChecksBuilder checks,
        string name = "pipeline"
    )
    {
        ArgumentNullException.ThrowIfNull(checks);
        return checks.Add(
            new HealthCheckRegistration(
                $"akka-persistence-{name}",
                services => new PipelinePersistenceHealthCheck(services.GetRequiredService<ActorSystem>(), name),
                HealthStatus.Unhealthy,
                ["ready"]
            )
        );
    }

    private static string ToHocon(PipelinePersistenceOptions options)
    {
        var place = string.Create(
            CultureInfo.InvariantCulture,
            $$"""
            database = {{Text(options.Database is null ? "" : options.Name)}}
            path = {{Text(options.Path ?? "")}}
            url = {{Text(options.Url?.ToString() ?? "")}}
            remote-database = {{Text(options.RemoteDatabase ?? "")}}
            tls { certificate = {{Text(options.Certificate ?? "")}}, key = {{Text(
                options.CertificateKey ?? ""
            )}}, password = {{Text(options.CertificatePassword ?? "")}}, server-thumbprint = {{Text(
                options.ServerThumbprint ?? ""
            )}} }
            serializer = {{Text(options.Serializer ?? "")}}
            plugin-dispatcher = "akka.actor.default-dispatcher"
            """
        );
        var defaults = options.IsDefault
            ? $"akka.persistence.journal.plugin = \"akka.persistence.journal.{options.Name}\"\nakka.persistence.snapshot-store.plugin = \"akka.persistence.snapshot-store.{options.Name}\""
            : "";
        return string.Create(
            CultureInfo.InvariantCulture,
            $$"""
            {{defaults}}
            akka.persistence.journal.{{options.Name}} {
              class = "{{typeof(PipelineJournal).FullName}}, Pipeline.Akka.Persistence"
              {{place}}
              replay-filter.mode = off
              documents.enabled = {{(options.Documents is null ? "off" : "on")}}
              documents.collection = {{Text(options.Documents ?? "")}}
            }
            akka.persistence.snapshot-store.{{options.Name}} {
              class = "{{typeof(PipelineSnapshotStore).FullName}}, Pipeline.Akka.Persistence"
              {{place}}
              keep = {{options.KeepSnapshots}}
              delete-events = {{(options.DeleteEvents ? "on" : "off")}}
            }
            akka.persistence.query.journal.{{options.Name}} {
              class = "{{typeof(Query.PipelineReadJournalProvider).FullName}}, Pipeline.Akka.Persistence"
              write-plugin = "akka.persistence.journal.{{options.Name}}"
            }
            """
        );
    }

    private static string Text(string value) => JsonSerializer.Serialize(value);

    /// <summary>Names the journal of the event adapters; <see cref="ToHocon"/> sets everything else.</summary>
    private sealed class AdapterOptions(string name) : JournalOptions(false)
    {
        public override string Identifier { get; set; } = name;

        protected override Config InternalDefaultConfig => Config.Empty;
    }
}
