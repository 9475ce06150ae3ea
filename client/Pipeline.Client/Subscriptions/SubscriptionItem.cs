using Pipeline.Client.Sessions;
using Pipeline.Client.Transport;

namespace Pipeline.Client;

/// <summary>
/// A change of a document. It stays valid after its batch was acknowledged. For one thread at a time.
/// </summary>
public sealed class SubscriptionItem<T>
    where T : class
{
    private readonly SubscriptionBatch<T> _batch;
    private T? _document,
        _previous;
    private List<DocumentSession>? _sessions;

    internal SubscriptionItem(SubscriptionBatch<T> batch, DeliveredItem data, int index) =>
        (_batch, Data, Index) = (batch, data, index);

    /// <summary>The document's id.</summary>
    public string Id => Data.Id;

    /// <summary>Its collection.</summary>
    public string Collection => Data.Collection;

    /// <summary>The change's version.</summary>
    public string ChangeVector => Data.ChangeVector;

    /// <summary>When it was made, by the database's clock.</summary>
    public DateTimeOffset LastModified => Data.LastModified;

    /// <summary>Whether the document was deleted, or has left the subscription's collection.</summary>
    public bool IsDeleted => Data.IsDeleted;

    /// <summary>How many times the change was delivered before without being acknowledged.</summary>
    public int Attempts => Data.Attempts;

    /// <summary>Whether a rejection parks the document.</summary>
    public bool IsLastAttempt => Data.Attempts + 1 >= _batch.MaxAttempts;

    /// <summary>The object, read at the first call by the store's options; the same object each time.</summary>
    /// <exception cref="InvalidOperationException">The document was deleted.</exception>
    /// <exception cref="System.Text.Json.JsonException">The document does not fit the class.</exception>
    public T Document
    {
        get
        {
            if (_document is not null)
                return _document;
            if (IsDeleted)
                throw new InvalidOperationException($"the document '{Id}' was deleted; test {nameof(IsDeleted)} first");
            _document = _batch.Read(this);
            _sessions?.ForEach(session => _batch.Track(session, this, _document));
            return _document;
        }
    }

    /// <summary>
    /// With <see cref="SubscriptionOptions.Revisions"/>: the version before the change; <see langword="null"/> if there
    /// was none, it was deleted, or it is unknown (<see cref="PreviousIsKnown"/>).
    /// </summary>
    public T? Previous => Data.Previous.IsEmpty ? null : _previous ??= _batch.Read(Data.Previous);

    /// <summary>Whether the version before is known; always false unless the subscription delivers versions.</summary>
    public bool PreviousIsKnown => Data.PreviousIsKnown;

    /// <summary>
    /// Begins a unit of work that tracks <see cref="Document"/>: change it and save, without loading it again.
    /// </summary>
    /// <param name="options">How the session differs from the store's options.</param>
    public IDocumentSession OpenSession(SessionOptions? options = null)
    {
        var session = _batch.NewSession(options);
        Track(session);
        return session;
    }

    /// <summary>Has a session track the document, also if it is read later.</summary>
    internal void Track(DocumentSession session)
    {
        _batch.Include(session);
        (_sessions ??= []).Add(session);
        if (_document is not null)
            _batch.Track(session, this, _document);
    }

    internal DeliveredItem Data { get; }

    internal int Index { get; }

    /// <summary>The object if it was read.</summary>
    internal T? Known => _document;
}
