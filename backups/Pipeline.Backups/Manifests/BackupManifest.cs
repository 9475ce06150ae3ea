using System.Text.Json.Serialization;
using Pipeline.Storage;

namespace Pipeline.Backups.Manifests;

/// <summary>
/// The contents of a backup. It is written last, so a backup without a manifest does not exist. Immutable.
/// </summary>
public sealed record BackupManifest
{
    /// <summary>The newest format that this version can read.</summary>
    public const int CurrentFormat = 2;

    /// <summary>The format of a backup that continues no other store's backup, which older programs can read.</summary>
    internal const int FormatOfOneStore = 1;

    /// <summary>The format: 2 if it continues the backup of another node of a cluster, else 1.</summary>
    public int Format { get; init; } = FormatOfOneStore;

    /// <summary>The backup's name at its destination: time, kind and transaction.</summary>
    public required string Id { get; init; }

    /// <summary>Its contents.</summary>
    public required BackupKind Kind { get; init; }

    /// <summary>The database's name.</summary>
    public required string Database { get; init; }

    /// <summary>The database's id.</summary>
    public required string DatabaseId { get; init; }

    /// <summary>
    /// The id of the store whose checksum <see cref="To"/> has. A restored copy and each node of a cluster have another.
    /// </summary>
    public required Guid Store { get; init; }

    /// <summary>The backup that an incremental one continues.</summary>
    public string? Parent { get; init; }

    /// <summary>Where its journal begins: for a full backup the time of the first page reads.</summary>
    public required BackupPoint From { get; init; }

    /// <summary>The time of the state that it restores.</summary>
    public required BackupPoint To { get; init; }

    /// <summary>The store's state as of <see cref="From"/>, in the format of engine/FORMAT.md.</summary>
    public required byte[] FromState { get; init; }

    /// <summary>The store's state as of <see cref="To"/>.</summary>
    public required byte[] ToState { get; init; }

    /// <summary>
    /// A hash of the last transaction before <see cref="From"/>, for an incremental backup of a cluster: the
    /// <see cref="ToEntry"/> of the backup that it continues.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? FromEntry { get; init; }

    /// <summary>
    /// A hash of the last transaction, the same on every node of a cluster: a node whose journal has that transaction can
    /// continue the backup. Null outside of a cluster, or if the node no longer had the transaction in its journal.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? ToEntry { get; init; }

    /// <summary>The scheduled run of a cluster that made it, so that no other node makes it again; null for none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Run { get; init; }

    /// <summary>The chunks that contain the list of the pages' chunks.</summary>
    public IReadOnlyList<string> Pages { get; init; } = [];

    /// <summary>The chunks that contain the list of the journal's chunks.</summary>
    public IReadOnlyList<string> Log { get; init; } = [];

    /// <summary>Transactions in the journal.</summary>
    public long Transactions { get; init; }

    /// <summary>Bytes of pages and journal before compression.</summary>
    public required long ContentBytes { get; init; }

    /// <summary>Bytes of all its stored chunks, including shared ones.</summary>
    public required long StoredBytes { get; init; }

    /// <summary>Bytes sent for it; chunks that existed already are not sent again.</summary>
    public required long SentBytes { get; init; }

    /// <summary>Documents as of <see cref="To"/>, by collection.</summary>
    public required IReadOnlyDictionary<string, long> Documents { get; init; }

    /// <summary>Tombstones as of <see cref="To"/>.</summary>
    public long Tombstones { get; init; }

    /// <summary>When it started.</summary>
    public required DateTimeOffset Started { get; init; }

    /// <summary>When it was complete.</summary>
    public required DateTimeOffset Ended { get; init; }

    /// <summary>Why it is full although an incremental backup was requested.</summary>
    public string? Reason { get; init; }

    /// <summary>The version of the program that wrote it.</summary>
    public required string Program { get; init; }

    /// <summary>The number of all documents.</summary>
    [JsonIgnore]
    public long DocumentCount => Documents.Values.Sum();
}

/// <summary>What a backup contains.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<BackupKind>))]
public enum BackupKind
{
    /// <summary>All pages; it needs no other backup.</summary>
    Full,

    /// <summary>All transactions since the previous backup; any of them can be restored to.</summary>
    Incremental,
}

/// <summary>A point in a store's history.</summary>
/// <param name="Transaction">The store's transaction.</param>
/// <param name="Chain">The checksum of its journal entry: two histories that agree in both are the same.</param>
/// <param name="Position">The position of the last document change; -1 if unknown.</param>
/// <param name="Time">When the transaction was committed.</param>
public sealed record BackupPoint(long Transaction, uint Chain, long Position, DateTimeOffset Time)
{
    /// <summary>The point of a store's state.</summary>
    public static BackupPoint Of(LogState state, long position) =>
        new(state.Transaction, state.Chain, position, new DateTimeOffset(state.Ticks, TimeSpan.Zero));
}

/// <summary>A manifest cannot be used.</summary>
/// <param name="destination">The destination that stores it.</param>
/// <param name="name">Its name.</param>
/// <param name="reason">What is wrong with it.</param>
public sealed class ManifestDamagedException(string destination, string name, string reason)
    : BackupException($"{destination}: {name} {reason}. The backup cannot be used; others are not affected.")
{
    /// <summary>The manifest's name.</summary>
    public string Name { get; } = name;
}
