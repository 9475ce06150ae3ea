namespace Pipeline.Documents;

/// <summary>
/// A stretch of a database's history in which a position stands for one change. A restore, and each copy that is
/// opened, begins a new one.
/// </summary>
/// <param name="Id">16 hexadecimal digits that no other lineage has; empty for a database's first.</param>
/// <param name="First">The first position of the changes that belong to it.</param>
/// <param name="Since">When it began; <see langword="null"/> for the first.</param>
/// <param name="Reason">Why it began; empty for the first.</param>
public sealed record DatabaseLineage(string Id, long First, DateTimeOffset? Since, string Reason)
{
    /// <summary>
    /// Whether it began when the database was opened, as all before it was of another life; otherwise a task found that
    /// another life exists.
    /// </summary>
    public bool IsOfOpening { get; init; }
}
