namespace Pipeline.Testing;

/// <summary>An error has stopped an ETL task, so the awaited result will not come.</summary>
public sealed class EtlStoppedException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="task">The task.</param>
    /// <param name="problem">Its error.</param>
    public EtlStoppedException(string task, string? problem)
        : base($"The ETL task '{task}' has stopped: {problem ?? "it was told to"}") => Task = task;

    /// <summary>The task.</summary>
    public string Task { get; }
}
