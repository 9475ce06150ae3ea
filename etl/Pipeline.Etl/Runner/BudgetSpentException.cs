using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Runner;

/// <summary>A batch was sent as often as <c>retry.attempts</c> allows.</summary>
internal sealed class BudgetSpentException(ConnectorException last, int attempts) : Exception(last.Message, last)
{
    /// <summary>Whether the last error was transient.</summary>
    public bool IsTransient => last.IsTransient;

    /// <summary>How often the batch was sent.</summary>
    public int Attempts => attempts;
}
