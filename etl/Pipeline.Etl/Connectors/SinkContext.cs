using Microsoft.Extensions.Logging;

namespace Pipeline.Etl.Connectors;

/// <summary>Who asks for a sink.</summary>
/// <param name="Task">The task's name.</param>
/// <param name="DatabaseId">
/// The database's id, so that two databases with a task of one name do not meet at the broker.
/// </param>
/// <param name="Time">The clock.</param>
/// <param name="Loggers">Where the sink logs.</param>
public sealed record SinkContext(string Task, string DatabaseId, TimeProvider Time, ILoggerFactory Loggers)
{
    /// <summary>
    /// The task's run. A sink whose target remembers the task puts it into its records and has it judge those that it
    /// finds.
    /// </summary>
    public TaskRun Run { get; init; } = TaskRun.Unknown;
}
