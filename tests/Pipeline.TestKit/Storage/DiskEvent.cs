namespace Pipeline.TestKit.Storage;

/// <summary>The kinds of events of a simulated disk.</summary>
public enum DiskEventKind
{
    Write,
    Allocate,
    Truncate,
    PunchHole,
    Sync,
    Create,
    Move,
    Delete,
    CreateDirectory,
    SyncDirectory,

    /// <summary>Not of the disk: the test notes that something was acknowledged.</summary>
    Mark,
}

/// <summary>One event of a simulated disk.</summary>
/// <param name="Kind">What happened.</param>
/// <param name="File">The file's identity, which renaming does not change.</param>
/// <param name="Offset">
/// Where, or the new length; of a sync, the number of events that it covers; of a mark, its value.
/// </param>
/// <param name="Bytes">What was written.</param>
/// <param name="Path">The path, or folder.</param>
/// <param name="Target">The new path of a move.</param>
public sealed record DiskEvent(
    DiskEventKind Kind,
    int File,
    long Offset,
    byte[]? Bytes = null,
    string? Path = null,
    string? Target = null
)
{
    /// <summary>Of a hole, its bytes.</summary>
    public long Length { get; init; }

    public override string ToString() =>
        $"{Kind} {Path}{(Target is null ? "" : " to " + Target)} file {File} at {Offset}{(Bytes is null ? "" : $", {Bytes.Length} bytes")}";
}
