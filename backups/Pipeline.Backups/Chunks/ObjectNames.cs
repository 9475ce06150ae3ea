namespace Pipeline.Backups.Chunks;

/// <summary>The names of objects at a destination.</summary>
internal static class ObjectNames
{
    /// <summary>The prefix of manifests.</summary>
    public const string Manifests = "manifests/";

    /// <summary>The prefix of chunks.</summary>
    public const string Chunks = "chunks/";

    /// <summary>The prefix of verifications.</summary>
    public const string Verifications = "verified/";

    /// <summary>The object that says how to read the others.</summary>
    public const string Repository = "repository.json";

    public static string Manifest(string id) => $"{Manifests}{id}.json";

    public static string Verification(string id) => $"{Verifications}{id}.json";

    /// <summary>The name of a chunk; the first digits spread chunks over folders.</summary>
    public static string Chunk(Pipeline.Backups.Chunks.ChunkId id)
    {
        var text = id.ToString();
        return $"{Chunks}{text[..2]}/{text}";
    }

    /// <summary>The chunk with this object name, or null.</summary>
    public static Pipeline.Backups.Chunks.ChunkId? ChunkOf(string name) =>
        name.Length == Chunks.Length + 3 + 64
        && Pipeline.Backups.Chunks.ChunkId.TryParse(name.AsSpan(Chunks.Length + 3), out var id)
            ? id
            : null;

    /// <summary>The backup whose manifest has this object name, or null.</summary>
    public static string? ManifestOf(string name) =>
        name.StartsWith(Manifests, StringComparison.Ordinal) && name.EndsWith(".json", StringComparison.Ordinal)
            ? name[Manifests.Length..^5]
            : null;

    public static void Check(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (
            name.StartsWith('/')
            || name.Split('/').Any(p => p is "" or "." or "..")
            || !name.All(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.' or '/')
        )
        {
            throw new ArgumentException($"'{name}' cannot be an object's name.", nameof(name));
        }
    }
}
