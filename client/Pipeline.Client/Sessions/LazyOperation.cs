using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

/// <summary>A load or query that waits for the request that fetches all of them.</summary>
internal abstract class LazyOperation
{
    /// <summary>The documents that it loads.</summary>
    public virtual IReadOnlyList<string> Ids => [];

    /// <summary>The query that it runs; <see langword="null"/> for a load.</summary>
    public virtual RqlQuery? Query => null;

    /// <summary>Takes the documents.</summary>
    public virtual void Complete(IReadOnlyDictionary<string, DocumentData> found) { }

    /// <summary>Takes the query's answer.</summary>
    public virtual void Complete(QueryReply? answer, Exception? error) { }
}

/// <summary>A load of documents.</summary>
internal sealed class LazyLoad<T, TDocument>(
    DocumentSession session,
    IReadOnlyList<string> ids,
    Func<IReadOnlyDictionary<string, TDocument?>, T> make
) : LazyOperation
    where TDocument : class
{
    public override IReadOnlyList<string> Ids => ids;

    public LazyValue<T> Value { get; } = new(session.ExecuteAllPendingAsync);

    public override void Complete(IReadOnlyDictionary<string, DocumentData> found) =>
        Value.Complete(() =>
        {
            var documents = new Dictionary<string, TDocument?>(StringComparer.OrdinalIgnoreCase);
            foreach (var id in ids)
                documents[id] = session.Resolve<TDocument>(id, found);
            return make(documents);
        });
}

/// <summary>A query; one without a text has no result.</summary>
internal sealed class LazyQuery<T>(DocumentSession session, RqlQuery? query, Func<DocumentData, T> read) : LazyOperation
{
    public override RqlQuery? Query => query;

    public LazyValue<QueryResults<T>> Value { get; } = new(session.ExecuteAllPendingAsync);

    public override void Complete(IReadOnlyDictionary<string, DocumentData> found) =>
        Value.Complete(() => new QueryResults<T>([], new QueryStatistics("", 0, false)));

    public override void Complete(QueryReply? answer, Exception? error) =>
        Value.Complete(() =>
            error is not null ? throw error : new QueryResults<T>([.. answer!.Items.Select(read)], answer.Statistics)
        );
}
