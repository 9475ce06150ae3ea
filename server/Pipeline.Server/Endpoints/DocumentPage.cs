using Pipeline.Database;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>The documents that an address asks for without naming them: by prefix and pattern, else what changed last first.</summary>
internal static class DocumentPage
{
    /// <summary>Those of the page that the address asks for, each read when it is asked for.</summary>
    /// <exception cref="BadRequestException"><c>start</c> or <c>pageSize</c> is no number.</exception>
    public static IEnumerable<Document> Of(DatabaseRequest request, DatabaseSnapshot snapshot, long size)
    {
        var (start, most) = (request.Number("start", 0), request.Number("pageSize", size));
        if (request.Text("startsWith") is not { } prefix)
            return Cut(snapshot.GetNewestFirst(), start, most, request.Aborted);
        var pattern = new IdPattern(request.Text("matches"), request.Text("exclude"));
        return Cut(snapshot.GetByPrefix(prefix, request.Text("startAfter")).Where(d => pattern.Holds(d.Id[Math.Min(prefix.Length, d.Id.Length)..])), start, most, request.Aborted);
    }

    private static IEnumerable<Document> Cut(IEnumerable<Document> documents, long start, long left, CancellationToken ct)
    {
        foreach (var document in documents)
        {
            ct.ThrowIfCancellationRequested();
            if (start-- > 0)
                continue;
            if (left-- <= 0)
                yield break;
            yield return document;
        }
    }
}
