using System.Buffers;
using Pipeline.Documents;
using Pipeline.Scripting;
using Pipeline.Storage;

namespace Pipeline.Subscriptions;

/// <summary>A database snapshot and the batches read from it; disposal also returns their pooled memory.</summary>
internal sealed class DatabaseFeedSnapshot(DatabaseSnapshot snapshot, string databaseId) : IFeedSnapshot
{
    private readonly List<ChangeBatch> _batches = [];

    public long LastPosition => snapshot.LastPosition;

    public long PurgedThrough => snapshot.PurgedThrough;

    public DatabaseSnapshot Snapshot => snapshot;

    public long ReadChanges(long after, CursorFilter filter, int maxChanges, long maxBytes, List<FeedChange> changes)
    {
        var limits = new ChangeLimits(maxChanges, (int)Math.Min(maxBytes, int.MaxValue));
        var batch = snapshot.ReadChanges(after, filter.ToChangeFilter(), limits);
        _batches.Add(batch);
        for (var i = 0; i < batch.Count; i++)
        {
            var change = batch[i];
            if (filter.Collections is null && !filter.Takes(change.Collection))
                continue;
            changes.Add(new FeedChange(change.Position, ToScriptDocument(change), change.Body.Data.Length));
        }

        return batch.Through;
    }

    public bool TryLoad(string id, out ScriptDocument document)
    {
        var stored = snapshot.Find(id);
        document = stored is null ? default : ToScriptDocument(stored);
        return stored is not null;
    }

    public ScriptAttachment? LoadAttachment(string id, string name, int maxBytes) =>
        ScriptAttachments.Load(snapshot, id, name, maxBytes);

    public bool IsStoreFailure(Exception error) => error is StorageException;

    public bool TryWriteJson(long position, IBufferWriter<byte> output)
    {
        if (!snapshot.TryGetByPosition(position, out var document) || document.IsDeleted)
            return false;
        document.WriteJson(output);
        return true;
    }

    public byte[]? GetState(string key) => snapshot.GetState(key);

    public IEnumerable<KeyValuePair<string, byte[]>> GetStates(string prefix, string? after) =>
        snapshot.GetStates(prefix, after);

    public void Dispose()
    {
        foreach (var batch in _batches)
            batch.Dispose();
        _batches.Clear();
        snapshot.Dispose();
    }

    public ScriptDocument ToScriptDocument(in Change change) =>
        new(change.Id, change.Body)
        {
            Version = (change.Position, databaseId),
            Collection = change.Collection,
            LastModified = change.LastModified,
            IsDeleted = change.IsDeleted,
        };

    private ScriptDocument ToScriptDocument(Document document) =>
        new(document.Id, document.Body)
        {
            Collection = document.Collection,
            Version = (document.Position, databaseId),
            LastModified = document.LastModified,
        };
}
