using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>Sets bits in stored sets of entries.</summary>
internal static class BitmapWriter
{
    /// <summary>Adds entries, which must rise.</summary>
    public static void Add(PutLog log, Tree? stored, byte kind, List<int> entries)
    {
        Span<byte> key = stackalloc byte[EntryBitmap.KeySize];
        for (var i = 0; i < entries.Count; )
        {
            var chunk = entries[i] / EntryBitmap.ChunkEntries;
            EntryBitmap.WriteKey(key, kind, chunk);
            var bits = log.Reserve(key, EntryBitmap.ChunkBytes);
            if (stored is not null && stored.TryGet(key, out var before) && before.Length == EntryBitmap.ChunkBytes)
                before.CopyTo(bits);
            else
                bits.Clear();
            for (; i < entries.Count && entries[i] / EntryBitmap.ChunkEntries == chunk; i++)
                bits[(entries[i] & (EntryBitmap.ChunkEntries - 1)) >> 3] |= (byte)(1 << (entries[i] & 7));
        }
    }
}
