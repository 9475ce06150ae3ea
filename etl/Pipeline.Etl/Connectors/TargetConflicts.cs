using System.Globalization;

namespace Pipeline.Etl.Connectors;

/// <summary>A target has records of changes that this database does not have, or that something other than this task
/// wrote. A person decides where the task resumes.</summary>
public sealed class TargetConflictException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="mark">What the target remembers.</param>
    /// <param name="reason">What is wrong with it, as a clause.</param>
    /// <param name="isOfLineage">Whether it claims to be of the database's present lineage.</param>
    public TargetConflictException(TargetMark mark, string reason, bool isOfLineage)
        : base(
            string.Create(
                CultureInfo.InvariantCulture,
                $"the target holds position {mark.Position}{(mark.Lineage.Length > 0 ? $" of lineage {mark.Lineage}" : "")}, {reason}"
            )
        )
    {
        Mark = mark;
        IsOfLineage = isOfLineage;
    }

    /// <summary>The target's record.</summary>
    public TargetMark Mark { get; }

    /// <summary>
    /// Whether it claims to be of the database's present lineage: the database went back without noticing, and gives
    /// positions a second time.
    /// </summary>
    public bool IsOfLineage { get; }
}

/// <summary>Why a task waits for a person's decision.</summary>
/// <param name="Reason">What was found, and what to do.</param>
/// <param name="Since">When it was found.</param>
/// <param name="Position">The task's position then.</param>
/// <param name="Target">
/// The target's record, or <see langword="null"/> if the database itself was restored or copied.
/// </param>
public sealed record TaskConflict(string Reason, DateTimeOffset Since, long Position, TargetMark? Target)
{
    /// <summary>Whether the task's own script is the reason: the process ended again and again while it ran.</summary>
    public bool IsOfScript { get; init; }
}
