using Pipeline.Backups.Chunks;
using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Running;

/// <summary>Lists of chunks, which are themselves stored as chunks to keep manifests small.</summary>
internal static class ChunkLists
{
    private const int EntriesOfAList = ChunkFormat.MaxContentBytes / ChunkEntry.Bytes;

    /// <summary>Writes a list and returns the names of the chunks that store it, for the manifest.</summary>
    public static async Task<IReadOnlyList<string>> WriteAsync(
        BackupTarget target,
        IReadOnlyList<ChunkEntry> entries,
        CancellationToken ct
    )
    {
        var names = new List<string>();
        foreach (var part in entries.Chunk(EntriesOfAList))
        {
            var content = ChunkEntry.Write(part);
            var format = target.Repository.Format;
            var id = format.NameOf(content);
            var chunk = new byte[ChunkFormat.MaxChunkBytes(content.Length)];
            await target.SendAsync(id, chunk.AsMemory(0, format.Encode(id, content, chunk)), ct).ConfigureAwait(false);
            names.Add(id.ToString());
        }
        return names;
    }

    /// <summary>Reads lists.</summary>
    public static async Task<List<ChunkEntry>> ReadAsync(
        BackupRepository repository,
        IReadOnlyList<string> names,
        CancellationToken ct
    )
    {
        var entries = new List<ChunkEntry>();
        foreach (var name in names)
        {
            entries.AddRange(
                ChunkEntry.Read(await repository.ReadChunkAsync(IdOf(repository, name), ct).ConfigureAwait(false))
            );
        }

        return entries;
    }

    /// <summary>Parses a chunk name in a manifest.</summary>
    public static ChunkId IdOf(BackupRepository repository, string name) =>
        ChunkId.TryParse(name, out var id)
            ? id
            : throw new BackupException(
                $"{repository.Destination.Description}: '{name}' in a manifest is no chunk's name."
            );
}
