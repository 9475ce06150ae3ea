using Microsoft.Extensions.Logging;

namespace Pipeline.Etl.Connectors;

/// <summary>The task that a sink belongs to.</summary>
/// <param name="Task">The task's name.</param>
/// <param name="DatabaseId">
/// The database's id, so that tasks with one name in two databases do not collide at the broker.
/// </param>
/// <param name="Time">The clock.</param>
/// <param name="Loggers">Where the sink logs.</param>
public sealed record SinkContext(string Task, string DatabaseId, TimeProvider Time, ILoggerFactory Loggers)
{
    /// <summary>
    /// The task's run. A sink whose target keeps a record of the task writes the run into that record, and lets the run
    /// judge the records that it finds.
    /// </summary>
    public TaskRun Run { get; init; } = TaskRun.Unknown;
}
