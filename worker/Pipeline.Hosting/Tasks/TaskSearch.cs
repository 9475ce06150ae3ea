using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Etl.Configuration;

namespace Pipeline.Hosting.Tasks;

/// <summary>Finds the task that a request names.</summary>
internal static class TaskSearch
{
    /// <summary>Returns the task of a name.</summary>
    /// <exception cref="WorkerException">There is no such task.</exception>
    public static EtlTaskConfiguration Find(PipelineConfiguration configuration, string name) =>
        configuration.Etl.FirstOrDefault(t => t.Name == name)
        ?? throw new WorkerException(
            $"there is no task '{name}' in {configuration.File}; {Spelling.Suggest(name, configuration.Etl.Select(t => t.Name))}",
            ExitCodes.Usage
        );
}
