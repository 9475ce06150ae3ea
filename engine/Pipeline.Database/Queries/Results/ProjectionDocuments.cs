using Pipeline.Database.Scripts;
using Pipeline.Database.Scripts.JavaScript;

namespace Pipeline.Database.Queries.Results;

/// <summary>What scripts of one query read, and give along. One thread at a time.</summary>
internal sealed class ProjectionDocuments(DatabaseSnapshot snapshot, IncludedDocuments documents, IncludedOthers others) : IProjectionDocuments
{
    public bool TryLoad(string id, out ScriptDocument document)
    {
        Document? found = snapshot.Find(id);
        document = found is null ? default : ScriptDocument.Of(found);
        return found is not null;
    }

    public void Include(string id) => documents.Add(id);

    public void IncludeCompareExchange(string key) => others.Add(key);

    public CompareExchangeValue? GetCompareExchange(string key) => snapshot.GetCompareExchange(key);
}
