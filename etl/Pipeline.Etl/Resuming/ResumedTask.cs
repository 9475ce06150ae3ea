namespace Pipeline.Etl.Resuming;

/// <summary>Where a task resumes after a decision.</summary>
/// <param name="Task">The task.</param>
/// <param name="Position">Everything up to this position counts as sent.</param>
/// <param name="LastPosition">The database's last position.</param>
/// <param name="Lineage">The id of the database's lineage, empty for the first.</param>
public sealed record ResumedTask(string Task, long Position, long LastPosition, string Lineage);

/// <summary>A task cannot be resumed as asked.</summary>
public sealed class ResumeException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">Why, and what to do.</param>
    public ResumeException(string message)
        : base(message) { }
}
