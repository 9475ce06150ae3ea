using Akka.Configuration;
using Pipeline.Akka.Persistence;

namespace Pipeline.Akka.Tests;

/// <summary>Configures an actor system that uses Pipeline's plugins and a new database.</summary>
internal static class SpecPlace
{
    /// <summary>Keeps the database in a new folder.</summary>
    internal static Config Embedded() => Of($"path = \"{TestFolders.Make().Replace('\\', '/')}\"");

    /// <summary>Keeps the database on the server.</summary>
    internal static Config Remote() =>
        Of($"url = \"{SpecServer.Url}\"\nremote-database = \"{SpecServer.MakeDatabase()}\"");

    /// <summary>Settings for a place.</summary>
    internal static Config Of(string place, string more = "") =>
        ConfigurationFactory
            .ParseString(
                $$"""
                akka.loglevel = WARNING
                akka.test.single-expect-default = 20s
                akka.persistence {
                  publish-plugin-commands = on
                  journal {
                    plugin = "akka.persistence.journal.pipeline"
                    pipeline {
                      {{place}}
                      event-adapters.word-tagger = "Pipeline.Akka.Tests.WordTagger, Pipeline.Akka.Tests"
                      event-adapter-bindings { "System.String" = word-tagger }
                    }
                  }
                  snapshot-store {
                    plugin = "akka.persistence.snapshot-store.pipeline"
                    pipeline { {{place}} }
                  }
                }
                {{more}}
                """
            )
            .WithFallback(PipelinePersistence.DefaultConfiguration());
}
