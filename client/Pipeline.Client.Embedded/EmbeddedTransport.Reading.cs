using System.Buffers;
using Pipeline.Client.Transport;
using Pipeline.Documents;

namespace Pipeline.Client;

internal sealed partial class EmbeddedTransport
{
    private const string DefaultType = "application/octet-stream";

    public async ValueTask<FetchAnswer> FetchAsync(FetchRequest request, CancellationToken cancellationToken)
    {
        var documents =
            request.Ids.Count == 0 ? [] : await LoadAsync(request.Ids, [], cancellationToken).ConfigureAwait(false);
        var answers = new List<(QueryReply?, Exception?)>();
        foreach (var query in request.Queries)
        {
            try
            {
                answers.Add((await QueryAsync(query, cancellationToken).ConfigureAwait(false), null));
            }
            catch (QueryException e)
            {
                answers.Add((null, e));
            }
        }

        return new FetchAnswer(documents, answers);
    }

    public ValueTask<AttachmentData?> OpenAttachmentAsync(string id, string name, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var open = database.Attachments.Open(id, name);
        return ValueTask.FromResult(open is null ? null : new AttachmentData(Info(open.Info), open.Stream, open));
    }

    public ValueTask<IReadOnlyList<AttachmentInfo>> ListAttachmentsAsync(string id, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using var snapshot = database.OpenSnapshot();
        return ValueTask.FromResult<IReadOnlyList<AttachmentInfo>>([.. snapshot.GetAttachments(id).Select(Info)]);
    }

    public ValueTask<IReadOnlyList<RevisionData>> RevisionsAsync(
        RevisionRequest request,
        CancellationToken cancellationToken
    )
    {
        cancellationToken.ThrowIfCancellationRequested();
        using var snapshot = database.OpenSnapshot();
        return ValueTask.FromResult<IReadOnlyList<RevisionData>>([
            .. Find(snapshot, request).Select(v => new RevisionData(Data(v), v.IsDeleted)),
        ]);
    }

    public ValueTask<CompareExchangeData?> CompareExchangeAsync(string key, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using var snapshot = database.OpenSnapshot();
        return ValueTask.FromResult<CompareExchangeData?>(
            snapshot.GetCompareExchange(key) is { } value ? Value(value) : null
        );
    }

    public ValueTask<IReadOnlyList<CompareExchangeData>> ListCompareExchangeAsync(
        string prefix,
        int skip,
        int take,
        CancellationToken cancellationToken
    )
    {
        cancellationToken.ThrowIfCancellationRequested();
        using var snapshot = database.OpenSnapshot();
        return ValueTask.FromResult<IReadOnlyList<CompareExchangeData>>([
            .. snapshot.GetCompareExchangeByPrefix(prefix).Skip(skip).Take(take).Select(Value),
        ]);
    }

    private IEnumerable<Document> Find(DatabaseSnapshot snapshot, RevisionRequest request)
    {
        if (request.ChangeVector is { } vector)
            return snapshot.TryGetRevision(vector, out var version) ? [version] : [];
        var versions = snapshot.GetRevisions(request.Id!, Unkept(snapshot, request.Id!));
        return request.Time is { } time
            ? versions.Where(v => v.LastModified <= time).Take(1)
            : versions.Skip(request.Skip).Take(request.Take);
    }

    /// <summary>
    /// 1 if the current version is no revision: its collection keeps none, even if others were kept on demand.
    /// </summary>
    private int Unkept(DatabaseSnapshot snapshot, string id) =>
        snapshot.GetRevisions(id, 0, 1).FirstOrDefault() is { } current
        && database.Revisions.Configuration.Find(current.Collection) is not { Enabled: true }
            ? 1
            : 0;

    private static AttachmentInfo Info(Attachment attachment) =>
        new(
            attachment.Name,
            attachment.ContentType.Length > 0 ? attachment.ContentType : DefaultType,
            attachment.Hash,
            attachment.Size
        );

    private static CompareExchangeData Value(CompareExchangeValue value)
    {
        var json = new ArrayBufferWriter<byte>();
        value.Value.WriteTo(json);
        return new CompareExchangeData(value.Key, value.Index, json.WrittenMemory);
    }
}
