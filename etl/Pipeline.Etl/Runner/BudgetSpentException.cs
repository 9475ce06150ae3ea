using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Runner;

/// <summary>A batch was sent as often as <c>retry.attempts</c> allows.</summary>
internal sealed class BudgetSpentException(ConnectorException last, int attempts) : Exception(last.Message, last)
{
    /// <summary>Whether the last error was one that time may mend.</summary>
    public bool IsTransient => last.IsTransient;

    /// <summary>How often it was sent.</summary>
    public int Attempts => attempts;
}
