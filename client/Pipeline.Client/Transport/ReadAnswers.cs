namespace Pipeline.Client.Transport;

/// <summary>A version of a document, or its deletion.</summary>
/// <param name="Data">The document; of a deletion only the metadata.</param>
/// <param name="IsDeletion">Whether the document was deleted then.</param>
internal readonly record struct RevisionData(DocumentData Data, bool IsDeletion);

/// <summary>Which versions of documents are read.</summary>
/// <param name="Id">The document; <see langword="null"/> with a change vector.</param>
internal readonly record struct RevisionRequest(string? Id)
{
    /// <summary>The version; <see langword="null"/> for others.</summary>
    public string? ChangeVector { get; init; }

    /// <summary>The time at which the version was current; <see langword="null"/> for a page of all versions.</summary>
    public DateTimeOffset? Time { get; init; }

    /// <summary>How many newer versions are left out.</summary>
    public int Skip { get; init; }

    /// <summary>How many versions there may be.</summary>
    public int Take { get; init; }
}

/// <summary>A compare-exchange value.</summary>
/// <param name="Key">The key.</param>
/// <param name="Index">The number of its last change.</param>
/// <param name="Json">The value as stored.</param>
internal readonly record struct CompareExchangeData(string Key, long Index, ReadOnlyMemory<byte> Json);

/// <summary>An attachment that is open for reading.</summary>
/// <param name="Info">Its name and type.</param>
/// <param name="Content">Its content.</param>
/// <param name="Owner">What is disposed with it.</param>
internal sealed record AttachmentData(AttachmentInfo Info, Stream Content, IDisposable Owner);

/// <summary>Loads and queries that are sent together.</summary>
/// <param name="Ids">The documents.</param>
/// <param name="Queries">The queries.</param>
internal readonly record struct FetchRequest(IReadOnlyList<string> Ids, IReadOnlyList<RqlQuery> Queries);

/// <summary>The results of loads and queries.</summary>
/// <param name="Documents">The documents that exist.</param>
/// <param name="Queries">
/// The answers in the order of the queries; an exception for a query that the database refuses.
/// </param>
internal readonly record struct FetchAnswer(
    IReadOnlyList<DocumentData> Documents,
    IReadOnlyList<(QueryReply? Answer, Exception? Error)> Queries
);
