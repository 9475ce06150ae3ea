using System.Text.Json;
using Pipeline.Database;

namespace Pipeline.Etl.Connectors;

/// <summary>What the database keeps of a task's runs, so that it knows its own records at the target from those of a copy. Immutable.</summary>
/// <param name="Lineage">The lineage in which the task runs.</param>
/// <param name="After">What the target holds behind this position, one of <paramref name="Runs"/> wrote.</param>
/// <param name="Runs">The runs since the position moved over <paramref name="After"/>, the newest last.</param>
internal sealed record TaskStanding(string Lineage, long After, IReadOnlyList<string> Runs)
{
    private const int Version = 1;
    private const int MaxRuns = 256;

    /// <summary>Why the task waits for a person's decision; null where it does not.</summary>
    public TaskConflict? Conflict { get; init; }

    /// <summary>Whether a person has decided, and whatever record of another lineage the target has at the next connection is passed over.</summary>
    public bool Accepts { get; init; }

    /// <summary>The record of another lineage that is passed over.</summary>
    public TargetMark? Accepted { get; init; }

    /// <summary>Of a task of which nothing is kept: it is new, or an older program ran it, or its position was forgotten on purpose.</summary>
    /// <param name="lineages">The database's lineages.</param>
    /// <param name="position">The task's position. What ran before standings were kept ran in the first lineage.</param>
    /// <param name="last">The database's last position: what the target has up to there is not held against anybody.</param>
    public static TaskStanding Begin(DatabaseLineages lineages, long position, long last) => new(position > 0 ? "" : lineages.Current.Id, last, []);

    /// <summary>With one more run. Records behind the position are by the last run before, or by this one, where the position has moved since.</summary>
    public TaskStanding With(string run, long position)
    {
        if (position > After) return this with { After = position, Runs = Runs is [.., var last] && last != run ? [last, run] : [run] };
        return Runs.Contains(run) || Runs.Count >= MaxRuns ? this : this with { Runs = [.. Runs, run] };
    }

    /// <summary>Reads what the database keeps; null where it keeps nothing.</summary>
    public static TaskStanding? Parse(byte[]? bytes) => bytes is null ? null : JsonSerializer.Deserialize<Kept>(bytes) is { Version: Version } kept
        ? new TaskStanding(kept.Lineage, kept.After, kept.Runs) { Conflict = kept.Conflict, Accepts = kept.Accepts, Accepted = kept.Accepted }
        : throw new JsonException("a newer program wrote the task's standing");

    public byte[] ToBytes() => JsonSerializer.SerializeToUtf8Bytes(new Kept(Version, Lineage, After, [.. Runs], Conflict, Accepts, Accepted));

    private sealed record Kept(int Version, string Lineage, long After, string[] Runs, TaskConflict? Conflict, bool Accepts, TargetMark? Accepted);
}
