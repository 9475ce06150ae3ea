using System.Text.Json;
using Pipeline.Documents;

namespace Pipeline.Etl.Connectors;

/// <summary>
/// The database's record of a task's runs. It distinguishes the database's own records at the target from those of a
/// copy. Immutable.
/// </summary>
/// <param name="Lineage">The lineage in which the task runs.</param>
/// <param name="After">
/// One of <paramref name="Runs"/> wrote everything that the target holds after this position.
/// </param>
/// <param name="Runs">The runs since the position passed <paramref name="After"/>, the newest last.</param>
internal sealed record TaskStanding(string Lineage, long After, IReadOnlyList<string> Runs)
{
    private const int Version = 1;
    private const int MaxRuns = 256;

    /// <summary>Why the task waits for a person's decision, or null if it does not.</summary>
    public TaskConflict? Conflict { get; init; }

    /// <summary>
    /// Whether a person has decided to ignore any record of another lineage that the target has at the next connection.
    /// </summary>
    public bool Accepts { get; init; }

    /// <summary>The record of another lineage that is ignored.</summary>
    public TargetMark? Accepted { get; init; }

    /// <summary>
    /// The standing of a task without a record: the task is new, an older program ran it, or its position was removed
    /// on purpose.
    /// </summary>
    /// <param name="lineages">The database's lineages.</param>
    /// <param name="position">
    /// The task's position. Runs from before standings were kept belong to the first lineage.
    /// </param>
    /// <param name="last">The database's last position. Records of the target up to it raise no conflict.</param>
    public static TaskStanding Begin(DatabaseLineages lineages, long position, long last) =>
        new(position > 0 ? "" : lineages.Current.Id, last, []);

    /// <summary>
    /// Adds a run. If the position has moved since, only the last run before it and this run can have written records
    /// after the position.
    /// </summary>
    public TaskStanding With(string run, long position)
    {
        if (position > After)
            return this with { After = position, Runs = Runs is [.., var last] && last != run ? [last, run] : [run] };
        return Runs.Contains(run) || Runs.Count >= MaxRuns ? this : this with { Runs = [.. Runs, run] };
    }

    /// <summary>Reads the database's record. Returns null if there is none.</summary>
    public static TaskStanding? Parse(byte[]? bytes) =>
        bytes is null ? null
        : JsonSerializer.Deserialize<Kept>(bytes) is { Version: Version } kept
            ? new TaskStanding(kept.Lineage, kept.After, kept.Runs)
            {
                Conflict = kept.Conflict,
                Accepts = kept.Accepts,
                Accepted = kept.Accepted,
            }
        : throw new JsonException("a newer program wrote the task's standing");

    public byte[] ToBytes() =>
        JsonSerializer.SerializeToUtf8Bytes(new Kept(Version, Lineage, After, [.. Runs], Conflict, Accepts, Accepted));

    private sealed record Kept(
        int Version,
        string Lineage,
        long After,
        string[] Runs,
        TaskConflict? Conflict,
        bool Accepts,
        TargetMark? Accepted
    );
}
