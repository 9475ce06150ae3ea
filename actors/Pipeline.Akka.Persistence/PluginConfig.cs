using Akka.Configuration;

namespace Pipeline.Akka.Persistence;

/// <summary>Settings of a plugin of any name; reference.conf has the defaults.</summary>
internal static class PluginConfig
{
    internal static Config Complete(Config config, string defaults) =>
        config.WithFallback(PipelinePersistence.DefaultConfiguration().GetConfig(defaults));
}
