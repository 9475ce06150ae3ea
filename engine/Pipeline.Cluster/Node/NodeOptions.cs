namespace Pipeline.Cluster;

/// <summary>Options of a node's loop.</summary>
/// <param name="Name">The node's name, for ever.</param>
/// <param name="Start">The id of this process. Each process of the node has a different one.</param>
internal sealed record NodeOptions(string Name, Guid Start)
{
    /// <summary>How long a leader may answer reads after it sent a record.</summary>
    public TimeSpan Lease { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How long a new leader waits for old leases to expire. The ratio of wait to lease bounds how much faster one
    /// clock may run than another.
    /// </summary>
    public TimeSpan LeaseWait { get; init; } = TimeSpan.FromMilliseconds(1200);

    public TimeSpan BeatEvery { get; init; } = TimeSpan.FromMilliseconds(250);

    /// <summary>The shortest silence after which a follower claims; up to a third more is added at random.</summary>
    public TimeSpan ElectAfter { get; init; } = TimeSpan.FromMilliseconds(1500);

    /// <summary>
    /// How long a log that was read to its end may lack transactions of the store before they count as lost. A broker
    /// that has just become the leader of a partition may briefly not know how far the others are.
    /// </summary>
    public TimeSpan AheadAfter { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>After this time without an answer, an append counts as unknown.</summary>
    public TimeSpan AppendTimeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Whether a record counts as accepted only once it was read, not by the contiguity of places.</summary>
    public bool ByTail { get; init; }

    /// <summary>How many records may be without an answer before no further transaction is sent.</summary>
    public int Window { get; init; } = 5;

    public int MaxRecordBytes { get; init; } = 900_000;

    public int MaxTransactionBytes { get; init; } = 64 << 20;

    /// <summary>This node's address, which its beats carry; empty for none.</summary>
    public string Address { get; init; } = "";

    /// <summary>The newest format of records and entries that this version of the program reads and writes.</summary>
    public const int NewestFormat = 0;

    /// <summary>The newest format that this node knows.</summary>
    public int Format { get; init; } = NewestFormat;

    /// <summary>Seeds the random delay before elections.</summary>
    public int Seed { get; init; }
}
