using Pipeline.Documents;
using Pipeline.Scripting;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>
/// The documents of a batch's snapshot, for LoadDocument; those asked for often are kept for the batch. Not
/// thread-safe.
/// </summary>
internal sealed class SnapshotDocuments : IScriptDocuments
{
    private const int MaxKept = 1024;
    private const int MaxKeptBytes = 64 * 1024;
    private readonly Dictionary<string, Document?> _kept = new(StringComparer.OrdinalIgnoreCase);

    public DatabaseSnapshot? Snapshot
    {
        get;
        set
        {
            field = value;
            _kept.Clear();
        }
    }

    public bool TryLoad(string id, out ScriptDocument document)
    {
        if (!_kept.TryGetValue(id, out var found))
        {
            found = Snapshot!.Find(id);
            if (_kept.Count >= MaxKept)
                _kept.Clear();
            if (found is null || found.Body.Data.Length <= MaxKeptBytes)
                _kept[id] = found;
        }

        document = found is null ? default : ToScript(found);
        return found is not null;
    }

    public ScriptAttachment? LoadAttachment(string id, string name, int maxBytes) =>
        ScriptAttachments.Load(Snapshot!, id, name, maxBytes);

    public bool IsStoreFailure(Exception error) => error is StorageException;

    public static ScriptDocument ToScript(Document document) =>
        new(document.Id, document.Body) { Collection = document.Collection, LastModified = document.LastModified };
}
