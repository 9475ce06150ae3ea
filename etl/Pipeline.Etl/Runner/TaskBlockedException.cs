using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Runner;

/// <summary>The task does not run before a person decides.</summary>
internal sealed class TaskBlockedException(TaskConflict conflict) : Exception(conflict.Reason)
{
    public TaskConflict Conflict { get; } = conflict;
}
