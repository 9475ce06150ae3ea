using Microsoft.AspNetCore.Http;
using Pipeline.Documents;
using Pipeline.Json;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// <c>docs</c>: reads documents by id with their includes, by prefix, or the newest; stores or deletes one.
/// </summary>
internal static class DocumentEndpoints
{
    private const int DefaultPage = 25;

    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add("GET", "/docs", DatabaseAccess.Read, GetAsync);
        routes.Add("POST", "/docs", DatabaseAccess.Read, PostAsync);
        routes.Add("HEAD", "/docs", DatabaseAccess.Read, HeadAsync);
        routes.Add("PUT", "/docs", DatabaseAccess.ReadWrite, PutAsync);
        routes.Add("PATCH", "/docs", DatabaseAccess.ReadWrite, PatchAsync);
        routes.Add("DELETE", "/docs", DatabaseAccess.ReadWrite, DeleteAsync);
    }

    private static Task GetAsync(DatabaseRequest request) =>
        request.Texts("id") is { Count: > 0 } ids ? GetByIdsAsync(request, ids) : GetPageAsync(request);

    /// <summary>As GET, for more ids than fit into an address.</summary>
    private static async Task PostAsync(DatabaseRequest request)
    {
        using var body = await request.ReadJsonAsync().ConfigureAwait(false);
        await GetByIdsAsync(
                request,
                [.. RequestBody.List(body, "Ids").EnumerateArray().Select(id => id.GetString() ?? "")]
            )
            .ConfigureAwait(false);
    }

    /// <summary>Returns each id once, however often it is requested, because clients look results up by id.</summary>
    private static async Task GetByIdsAsync(DatabaseRequest request, IReadOnlyList<string> asked)
    {
        var ids = asked.Count == 1 ? asked : [.. asked.Distinct(StringComparer.OrdinalIgnoreCase)];
        using var snapshot = request.Database.OpenSnapshot("docs");
        var found = new Document?[ids.Count];
        for (var i = 0; i < found.Length; i++)
        {
            found[i] = Find(snapshot, ids[i]);
            request.Memory.Hold(found[i]?.Bytes ?? 0);
        }
        if (found.Length == 1 && found[0] is null)
        {
            await request.AnswerAsync(StatusCodes.Status404NotFound).ConfigureAwait(false);
            return;
        }
        var includes = Included(request, snapshot, found, request.Texts("include"));
        var metadataOnly = request.Flag("metadataOnly");
        var values = new Dictionary<string, CompareExchangeValue?>(StringComparer.OrdinalIgnoreCase);
        foreach (var key in request.Texts("cmpxchg").SelectMany(path => Reached(found, path)))
        {
            if (values.ContainsKey(key))
                continue;
            var value = snapshot.GetCompareExchange(key);
            request.Memory.Hold((2 * key.Length) + (value?.Value.Data.Length ?? 0));
            values.Add(key, value);
        }
        var versions = RevisionEndpoints.Included(request, snapshot, found);
        var etag = new ETagHash();
        foreach (var document in found.Concat(includes.Values))
            etag.Add(document?.Position ?? 0);
        foreach (var (_, value) in values)
            etag.Add(value?.Index ?? -1);
        foreach (var version in versions)
            etag.Add(version.Revision.Position);
        if (
            request.IsKnown(
                found is [{ } only] && includes.Count == 0 && values.Count == 0 && versions.Count == 0
                    ? only.ChangeVector
                    : etag.ToString()
            )
        )
        {
            return;
        }

        using var answer = request.BeginAnswer();
        answer.Json.WriteStartObject();
        answer.Json.WriteStartArray("Results");
        foreach (var document in found)
        {
            answer.Document(document, metadataOnly);
            await request.SendPartAsync(answer).ConfigureAwait(false);
        }
        answer.Json.WriteEndArray();
        answer.Json.WriteStartObject("Includes");
        foreach (var (id, document) in includes)
        {
            answer.Json.WritePropertyName(id);
            answer.Document(document, metadataOnly);
            await request.SendPartAsync(answer).ConfigureAwait(false);
        }
        answer.Json.WriteEndObject();
        if (values.Count > 0)
            CompareExchangeEndpoints.WriteIncludes(answer, values);
        if (versions.Count > 0)
            RevisionEndpoints.WriteIncludes(answer, versions);
        answer.Json.WriteEndObject();
        await request.EndAnswerAsync(answer).ConfigureAwait(false);
    }

    private static async Task GetPageAsync(DatabaseRequest request)
    {
        using var snapshot = request.Database.OpenSnapshot("docs");
        var page = DocumentPage.Of(request, snapshot, DefaultPage);
        if (request.IsKnown(new ETagHash().Add(snapshot.LastPosition).ToString()))
            return;
        var metadataOnly = request.Flag("metadataOnly");
        await StreamedAnswer
            .SendAsync(
                request,
                asLines: false,
                null,
                page.ToAsyncEnumerable(),
                (answer, document) => answer.Document(document, metadataOnly)
            )
            .ConfigureAwait(false);
    }

    private static Task HeadAsync(DatabaseRequest request)
    {
        using var snapshot = request.Database.OpenSnapshot("docs");
        if (Find(snapshot, request.Required("id")) is not { } document)
            return request.AnswerAsync(StatusCodes.Status404NotFound);
        request.IsKnown(document.ChangeVector);
        return Task.CompletedTask;
    }

    private static async Task PutAsync(DatabaseRequest request)
    {
        var put = await request
            .Database.PutAsync(
                request.Required("id"),
                await request.ReadBodyAsync().ConfigureAwait(false),
                request.ExpectedChangeVector,
                request.Aborted
            )
            .ConfigureAwait(false);
        await request
            .AnswerAsync(
                StatusCodes.Status201Created,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteString("Id", put.Id);
                    answer.Json.WriteString("ChangeVector", put.ChangeVector);
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static async Task PatchAsync(DatabaseRequest request)
    {
        var root = BinaryJson.Parse((await request.ReadBodyAsync().ConfigureAwait(false)).Span).Root;
        var missing = root["PatchIfMissing"];
        var patch = PatchBody.Read(root["Patch"]) with
        {
            IfMissing = missing.Kind == JsonKind.Object ? PatchBody.Read(missing) : null,
            SkipsConflicts = request.Flag("skipPatchIfChangeVectorMismatch"),
        };
        if (request.Flag("test"))
            throw new UnsupportedException("the trial of a patch", "run it on a copy of the document");
        var (id, expected) = (request.Required("id"), request.ExpectedChangeVector);
        var result = await request
            .Database.WriteAsync(transaction => transaction.Patch(id, patch, expected), request.Aborted)
            .ConfigureAwait(false);
        await request
            .AnswerAsync(StatusCodes.Status200OK, answer => PatchBody.Write(answer, result))
            .ConfigureAwait(false);
    }

    private static async Task DeleteAsync(DatabaseRequest request)
    {
        await request
            .Database.DeleteAsync(request.Required("id"), request.ExpectedChangeVector, request.Aborted)
            .ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }

    /// <summary>Finds a document; an invalid id is a missing document.</summary>
    private static Document? Find(DatabaseSnapshot snapshot, string id)
    {
        try
        {
            return id.Length > 0 && snapshot.TryGet(id, out var document) ? document : null;
        }
        catch (InvalidDocumentIdException)
        {
            return null;
        }
    }

    /// <summary>The texts that a path leads to in the documents.</summary>
    internal static IEnumerable<string> Reached(IEnumerable<Document?> documents, string path)
    {
        var at = new IncludePath(path);
        return documents.OfType<Document>().SelectMany(d => at.Ids(d.Body.Root));
    }

    private static Dictionary<string, Document?> Included(
        DatabaseRequest request,
        DatabaseSnapshot snapshot,
        IReadOnlyList<Document?> documents,
        IReadOnlyList<string> paths
    )
    {
        var found = new Dictionary<string, Document?>(StringComparer.OrdinalIgnoreCase);
        foreach (var path in paths.Select(p => new IncludePath(p)))
        {
            foreach (var document in documents)
            {
                if (document is null)
                    continue;
                foreach (var id in path.Ids(document.Body.Root))
                {
                    if (found.ContainsKey(id))
                        continue;
                    var included = Find(snapshot, id);
                    request.Memory.Hold(included?.Bytes ?? (2 * id.Length));
                    found.Add(id, included);
                }
            }
        }
        return found;
    }
}
