using Microsoft.Extensions.Logging;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Etl.Runner;

namespace Pipeline.Runner;

/// <summary>The steps with which every run of a configuration begins, with a server or without one.</summary>
internal static class RunBeginning
{
    /// <summary>Logs the warnings of a configuration, and compiles its transforms.</summary>
    /// <exception cref="Yaml.ConfigurationException">A transform has faults.</exception>
    public static EtlPlan Plan(PipelineConfiguration configuration, RunnerOptions options, ILogger logger)
    {
        foreach (var warning in configuration.Warnings)
            RunnerLog.ConfigurationWarning(logger, warning.ToString());
        return configuration.CreatePlan(options.Transforms);
    }

    /// <summary>Creates or changes the indexes of a configuration.</summary>
    public static async Task PutIndexesAsync(
        PipelineConfiguration configuration,
        DocumentDatabase database,
        CancellationToken cancellationToken
    )
    {
        foreach (var index in configuration.Indexes)
            await database.Indexes.PutAsync(index.ToDefinition(), cancellationToken).ConfigureAwait(false);
    }
}
