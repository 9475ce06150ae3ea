namespace Pipeline.Testing;

/// <summary>An ETL task has stopped at an error, so what is waited for will not come.</summary>
public sealed class EtlStoppedException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="task">The task.</param>
    /// <param name="problem">Its error.</param>
    public EtlStoppedException(string task, string? problem)
        : base($"The ETL task '{task}' has stopped: {problem ?? "it was told to"}") => Task = task;

    /// <summary>The task.</summary>
    public string Task { get; }
}
