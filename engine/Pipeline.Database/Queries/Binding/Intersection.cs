using System.Text;
using Pipeline.Indexing;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Binding;

/// <summary>
/// Documents of whose entries one matches the first query, one the second, and so on: not necessarily the same one.
/// </summary>
internal sealed class Intersection(QueryContext context)
{
    /// <summary>Documents that a part of an intersection may match, at most.</summary>
    internal const int MaxDocuments = 1_000_000;

    /// <summary>The entries of the first query whose document has entries of all others.</summary>
    /// <exception cref="QueryLimitException">A part matches more than <see cref="MaxDocuments"/> documents.</exception>
    internal Query Of(IReadOnlyList<Query> parts)
    {
        if (!context.Index.MayRepeatDocuments)
            return new BooleanQuery { Must = parts };
        HashSet<string>? documents = null;
        foreach (var part in parts.Skip(1))
            documents = DocumentsOf(part, documents);
        return new BooleanQuery
        {
            Must = [parts[0]],
            Filter =
            [
                new InQuery(
                    IndexFieldNames.DocumentId,
                    [.. documents!.Select(id => (ReadOnlyMemory<byte>)FieldTerms.Lower(id))]
                ),
            ],
        };
    }

    private HashSet<string> DocumentsOf(Query part, HashSet<string>? among)
    {
        var documents = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        using var hits = new Searcher(context.Index.Reader).Stream(part, [], context.Search, context.CancellationToken);
        while (hits.MoveNext())
        {
            if (!context.Index.Reader.TryGetEntry(hits.Current.Entry, out var id, out _))
                continue;
            var text = Encoding.UTF8.GetString(id);
            if (among?.Contains(text) == false || !documents.Add(text))
                continue;
            if (documents.Count > MaxDocuments)
                throw new QueryLimitException(nameof(MaxDocuments), MaxDocuments, documents.Count, "intersect");
        }

        return documents;
    }
}
