using Pipeline.Documents;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// The documents that a request selects without ids: by prefix and pattern, or otherwise by last change, newest first.
/// </summary>
internal static class DocumentPage
{
    /// <summary>The documents of the requested page, each read when it is enumerated.</summary>
    /// <exception cref="BadRequestException"><c>start</c> or <c>pageSize</c> is not a number.</exception>
    public static IEnumerable<Document> Of(DatabaseRequest request, DatabaseSnapshot snapshot, long size)
    {
        var (start, most) = (request.Number("start", 0), request.Number("pageSize", size));
        if (request.Text("startsWith") is not { } prefix)
            return Cut(snapshot.GetNewestFirst(), start, most, request.Aborted);
        var pattern = new IdPattern(request.Text("matches"), request.Text("exclude"));
        return Cut(
            snapshot
                .GetByPrefix(prefix, request.Text("startAfter"))
                .Where(d => pattern.Holds(d.Id[Math.Min(prefix.Length, d.Id.Length)..])),
            start,
            most,
            request.Aborted
        );
    }

    private static IEnumerable<Document> Cut(
        IEnumerable<Document> documents,
        long start,
        long left,
        CancellationToken ct
    )
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
