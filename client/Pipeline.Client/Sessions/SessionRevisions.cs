using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

/// <summary>Former versions of documents.</summary>
internal sealed class SessionRevisions(DocumentSession session) : ISessionRevisions
{
    public async ValueTask<IReadOnlyList<Revision<T>>> ListAsync<T>(
        string id,
        int skip = 0,
        int take = 25,
        CancellationToken cancellationToken = default
    )
        where T : class
    {
        ArgumentException.ThrowIfNullOrEmpty(id);
        ArgumentOutOfRangeException.ThrowIfNegative(skip);
        ArgumentOutOfRangeException.ThrowIfNegative(take);
        return await ReadAsync<T>(new RevisionRequest(id) { Skip = skip, Take = take }, cancellationToken)
            .ConfigureAwait(false);
    }

    public async ValueTask<Revision<T>?> LoadAsync<T>(
        string changeVector,
        CancellationToken cancellationToken = default
    )
        where T : class
    {
        ArgumentException.ThrowIfNullOrEmpty(changeVector);
        return
            await ReadAsync<T>(new RevisionRequest(null) { ChangeVector = changeVector }, cancellationToken)
                .ConfigureAwait(false)
                is [var version, ..]
            ? version
            : null;
    }

    public async ValueTask<Revision<T>?> LoadAsync<T>(
        string id,
        DateTimeOffset time,
        CancellationToken cancellationToken = default
    )
        where T : class
    {
        ArgumentException.ThrowIfNullOrEmpty(id);
        return
            await ReadAsync<T>(new RevisionRequest(id) { Time = time }, cancellationToken).ConfigureAwait(false)
                is [var version, ..]
            ? version
            : null;
    }

    private async ValueTask<List<Revision<T>>> ReadAsync<T>(
        RevisionRequest request,
        CancellationToken cancellationToken
    )
        where T : class =>
        [
            .. (await session.Request().RevisionsAsync(request, cancellationToken).ConfigureAwait(false)).Select(
                v => new Revision<T>(
                    v.Data.Id!,
                    v.Data.ChangeVector!,
                    v.Data.LastModified ?? default,
                    v.IsDeletion ? null : (T)session.Read(v.Data, typeof(T))
                )
            ),
        ];
}
