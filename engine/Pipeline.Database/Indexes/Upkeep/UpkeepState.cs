using System.Text.Json;
using Pipeline.Scripting.Indexes;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>The state of an index's upkeep; committed with the entries.</summary>
internal sealed record UpkeepState
{
    private static ReadOnlySpan<byte> Key => "state"u8;

    /// <summary>The definition that the entries follow from.</summary>
    public string Hash { get; init; } = "";

    /// <summary>The database's lineage when the index was opened last; null where an older program wrote it.</summary>
    public string? Lineage { get; init; }

    /// <summary>The facts about the definition that need no compiler; null before the first commit.</summary>
    public IndexOutline? Outline { get; init; }

    /// <summary>
    /// Changes of loaded documents up to this position are in all entries, since these were made of later snapshots.
    /// </summary>
    public long LoadsThrough { get; init; }

    /// <summary>Documents mapped.</summary>
    public long Mapped { get; init; }

    /// <summary>Documents and groups that failed.</summary>
    public long Failed { get; init; }

    /// <summary>The number of the next error.</summary>
    public long NextError { get; init; }

    /// <summary>When the last batch was committed.</summary>
    public DateTimeOffset? LastIndexed { get; init; }

    /// <summary>Why no further batch is tried.</summary>
    public string? Failure { get; init; }

    public static UpkeepState? Read(Transaction transaction) =>
        transaction.TryOpenTree(UpkeepTrees.State, out var tree) && tree.TryGet(Key, out var value)
            ? JsonSerializer.Deserialize<UpkeepState>(value)
            : null;

    public void Write(WriteTransaction transaction) =>
        transaction.CreateTree(UpkeepTrees.State).Put(Key, JsonSerializer.SerializeToUtf8Bytes(this));
}
