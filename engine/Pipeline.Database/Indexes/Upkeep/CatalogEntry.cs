using System.Text.Json;

namespace Pipeline.Database.Indexes;

/// <summary>An index as the database keeps it in its private state.</summary>
internal sealed record CatalogEntry
{
    /// <summary>The name of the private state.</summary>
    internal const string StateKey = "indexes";

    public required IndexDefinition Definition { get; init; }

    /// <summary>The folder of the version that answers queries.</summary>
    public required string Folder { get; init; }

    public bool Disabled { get; init; }

    /// <summary>The definition and folder of the replacement that is being built.</summary>
    public IndexDefinition? Replacement { get; init; }

    public string? ReplacementFolder { get; init; }

    public static (long NextFolder, List<CatalogEntry> Entries) Read(byte[]? state)
    {
        if (state is null)
            return (1, []);
        var stored = JsonSerializer.Deserialize<Stored>(state, IndexDefinition.Json)!;
        return (stored.NextFolder, stored.Entries);
    }

    public static byte[] Write(long nextFolder, IEnumerable<CatalogEntry> entries) =>
        JsonSerializer.SerializeToUtf8Bytes(new Stored(nextFolder, [.. entries]), IndexDefinition.Json);

    private sealed record Stored(long NextFolder, List<CatalogEntry> Entries);
}
