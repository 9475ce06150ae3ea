using System.Security.Cryptography;
using System.Text;
using Pipeline.Documents;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>
/// Which documents have loaded which, so that a change of a loaded one is followed. One batch's view; not thread-safe.
/// </summary>
internal sealed class LoadReferences(Transaction snapshot)
{
    private const int HashBytes = 16;
    private readonly TreeChanges _loads = new(UpkeepTrees.Loads, snapshot);
    private readonly TreeChanges _loadedBy = new(UpkeepTrees.LoadedBy, snapshot);

    public long Bytes => _loads.Bytes + _loadedBy.Bytes;

    /// <summary>
    /// Records the documents that a document loaded in its last mapping; none for a deleted document.
    /// </summary>
    /// <param name="documentKey">The document's id in lower case.</param>
    /// <param name="loaded">The ids as the map gave them.</param>
    public void Set(byte[] documentKey, IReadOnlyList<string> loaded)
    {
        var before = new HashSet<string>(StringComparer.Ordinal);
        if (_loads.TryGet(documentKey, out var stored))
            before.UnionWith(Encoding.UTF8.GetString(stored).Split('\0'));
        if (before.Count == 0 && loaded.Count == 0)
            return;
        var after = new HashSet<string>(StringComparer.Ordinal);
        foreach (var id in loaded)
        {
            // What cannot be an id names no document, now or ever.
            if (
                Encoding.UTF8.GetByteCount(id) <= DocumentKeys.MaxIdBytes
                && !id.Contains('\0', StringComparison.Ordinal)
            )
            {
                after.Add(Lower(id));
            }
        }

        if (before.SetEquals(after))
            return;
        foreach (var id in before.Where(b => !after.Contains(b)))
            _loadedBy.Delete(Key(id, documentKey));
        foreach (var id in after.Where(a => !before.Contains(a)))
            _loadedBy.Put(Key(id, documentKey), documentKey);
        if (after.Count == 0)
            _loads.Delete(documentKey);
        else
            _loads.Put(documentKey, Encoding.UTF8.GetBytes(string.Join('\0', after.Order(StringComparer.Ordinal))));
    }

    /// <summary>
    /// The documents that had loaded one, in a fixed order, each with the key after which to continue.
    /// </summary>
    public IEnumerable<(byte[] Key, byte[] Document)> LoadersOf(byte[] loadedKey, byte[]? after) =>
        _loadedBy.Range([.. loadedKey, 0], after is null ? null : [.. after, 0]);

    public void Apply(WriteTransaction transaction)
    {
        _loads.Apply(transaction);
        _loadedBy.Apply(transaction);
    }

    internal static byte[] DocumentKey(string id) => DocumentKeys.LowerPrefix(id);

    private static string Lower(string id) => Encoding.UTF8.GetString(DocumentKey(id));

    private static byte[] Key(string loaded, byte[] documentKey) =>
        [.. Encoding.UTF8.GetBytes(loaded), 0, .. SHA256.HashData(documentKey).AsSpan(0, HashBytes)];
}
