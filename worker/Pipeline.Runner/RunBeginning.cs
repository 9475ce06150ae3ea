using Microsoft.Extensions.Logging;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Etl.Runner;
using Pipeline.Storage;

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

    /// <summary>Refuses the folder of a cluster's node for a configuration without a cluster.</summary>
    /// <exception cref="NodeFolderException">It is one.</exception>
    public static void CheckFolder(PipelineConfiguration configuration, string? folder)
    {
        if (folder is not null && configuration.Cluster is null && ReplicaFolder.IsReplica(folder))
            throw new NodeFolderException(folder, configuration.File);
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
