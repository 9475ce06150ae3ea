using Akka.Configuration;

namespace Pipeline.Akka.Persistence;

/// <summary>Settings of a plugin of any name, with the defaults of the one in reference.conf.</summary>
internal static class PluginConfig
{
    internal static Config Complete(Config config, string defaults) => config.WithFallback(PipelinePersistence.DefaultConfiguration().GetConfig(defaults));
}
