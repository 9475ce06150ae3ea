using Pipeline.Documents;
using Pipeline.JavaScript;
using Pipeline.Json;
using Pipeline.Scripting;
using Pipeline.Storage;

namespace Pipeline.Database.Queries.Results;

/// <summary>The documents and values that scripts of one query read and include. One thread at a time.</summary>
internal sealed class ProjectionDocuments(DatabaseSnapshot snapshot, IncludedDocuments documents, IncludedOthers others)
    : IProjectionDocuments
{
    public bool TryLoad(string id, out ScriptDocument document)
    {
        var found = snapshot.Find(id);
        document = found is null ? default : found.ToScriptDocument();
        return found is not null;
    }

    public void Include(string id) => documents.Add(id);

    public void IncludeCompareExchange(string key) => others.Add(key);

    public BinaryValue? GetCompareExchange(string key) => snapshot.GetCompareExchange(key)?.Content;

    public bool IsStoreFailure(Exception error) => error is StorageException;
}
