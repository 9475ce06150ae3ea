using System.Text.Json.Serialization;

namespace Pipeline.Backups.Manifests;

/// <summary>What a backup is made of; written last, so that a backup without one is none. Immutable.</summary>
public sealed record BackupManifest
{
    /// <summary>The format that this program writes, and the newest that it reads.</summary>
    public const int CurrentFormat = 1;

    /// <summary>The format.</summary>
    public int Format { get; init; } = CurrentFormat;

    /// <summary>The backup's name at its destination: time, kind and transaction.</summary>
    public required string Id { get; init; }

    /// <summary>What it holds.</summary>
    public required BackupKind Kind { get; init; }

    /// <summary>The database's name.</summary>
    public required string Database { get; init; }

    /// <summary>The database's id.</summary>
    public required string DatabaseId { get; init; }

    /// <summary>The store that it is of; a restored copy has another name.</summary>
    public required Guid Store { get; init; }

    /// <summary>The backup that an incremental one goes on from.</summary>
    public string? Parent { get; init; }

    /// <summary>Where its journal begins: for a full one the first moment at which pages were read.</summary>
    public required BackupPoint From { get; init; }

    /// <summary>The moment that it is of.</summary>
    public required BackupPoint To { get; init; }

    /// <summary>The store as of <see cref="From"/>, as engine/FORMAT.md tells.</summary>
    public required byte[] FromState { get; init; }

    /// <summary>The store as of <see cref="To"/>.</summary>
    public required byte[] ToState { get; init; }

    /// <summary>The chunks that hold the list of the pages' chunks.</summary>
    public IReadOnlyList<string> Pages { get; init; } = [];

    /// <summary>The chunks that hold the list of the journal's chunks.</summary>
    public IReadOnlyList<string> Log { get; init; } = [];

    /// <summary>Transactions in the journal.</summary>
    public long Transactions { get; init; }

    /// <summary>Bytes of pages and journal before compression.</summary>
    public required long ContentBytes { get; init; }

    /// <summary>Bytes of all its chunks as they are stored, shared ones included.</summary>
    public required long StoredBytes { get; init; }

    /// <summary>Bytes that were sent for it: chunks that were there are not sent again.</summary>
    public required long SentBytes { get; init; }

    /// <summary>Documents as of <see cref="To"/>, by collection.</summary>
    public required IReadOnlyDictionary<string, long> Documents { get; init; }

    /// <summary>Tombstones as of <see cref="To"/>.</summary>
    public long Tombstones { get; init; }

    /// <summary>When it was begun.</summary>
    public required DateTimeOffset Started { get; init; }

    /// <summary>When it was complete.</summary>
    public required DateTimeOffset Ended { get; init; }

    /// <summary>Why it is a full one where an incremental one was asked for.</summary>
    public string? Reason { get; init; }

    /// <summary>The program that wrote it.</summary>
    public required string Program { get; init; }

    /// <summary>All documents.</summary>
    [JsonIgnore]
    public long DocumentCount => Documents.Values.Sum();
}
