namespace Pipeline.Client;

/// <summary>
/// How events change documents. Derive a class, and name in its constructor what each event does. Handlers must depend
/// on the document and the event only: an event can be applied again if its transaction is repeated.
/// </summary>
/// <typeparam name="TDocument">The class of the documents.</typeparam>
public abstract class DocumentProjection<TDocument>
    where TDocument : class, new()
{
    private readonly Dictionary<string, Func<TDocument?, StreamEvent, TDocument?>> _handlers = new(
        StringComparer.Ordinal
    );

    /// <summary>The name under which the progress is stored; the class's name if it is not overridden.</summary>
    public virtual string Name => GetType().Name;

    /// <summary>Changes the document at an event. Without a document, a new one is made before.</summary>
    /// <param name="apply">Changes the document.</param>
    /// <exception cref="InvalidOperationException">The event has a handler already.</exception>
    protected void On<TEvent>(Action<TDocument, TEvent> apply)
    {
        ArgumentNullException.ThrowIfNull(apply);
        On<TEvent>((document, data, _) => apply(document, data));
    }

    /// <inheritdoc cref="On{TEvent}(Action{TDocument, TEvent})"/>
    protected void On<TEvent>(Action<TDocument, TEvent, StreamEvent> apply)
    {
        ArgumentNullException.ThrowIfNull(apply);
        Add<TEvent>(
            (document, item) =>
            {
                document ??= new TDocument();
                apply(document, item.Read<TEvent>(), item);
                return document;
            }
        );
    }

    /// <summary>Deletes the document at an event.</summary>
    /// <exception cref="InvalidOperationException">The event has a handler already.</exception>
    protected void DeleteOn<TEvent>() => Add<TEvent>((_, _) => null);

    /// <summary>
    /// The id of the document that an event changes; <see langword="null"/> for none. If it is not overridden, that is
    /// the stream's id: one document for each stream.
    /// </summary>
    /// <param name="item">The event, of a class that has a handler.</param>
    protected virtual string? FindDocument(StreamEvent item) => item?.StreamId;

    internal bool Handles(string name) => _handlers.ContainsKey(name);

    internal string? DocumentOf(StreamEvent item)
    {
        try
        {
            return FindDocument(item) is { Length: > 0 } id ? id : null;
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            throw new ProjectionException(Name, item, e);
        }
    }

    internal TDocument? Apply(TDocument? document, StreamEvent item)
    {
        try
        {
            return _handlers[item.Name](document, item);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            throw new ProjectionException(Name, item, e);
        }
    }

    private void Add<TEvent>(Func<TDocument?, StreamEvent, TDocument?> handler)
    {
        var name = EventNameAttribute.Of(typeof(TEvent));
        if (!_handlers.TryAdd(name, handler))
        {
            throw new InvalidOperationException(
                $"the projection '{Name}' has two handlers for the event '{name}'; keep one"
            );
        }
    }
}

/// <summary>A projection failed at an event. Its progress stays before that event.</summary>
public sealed class ProjectionException : PipelineClientException
{
    internal ProjectionException(string projection, StreamEvent item, Exception cause)
        : base(
            $"The projection '{projection}' failed at event {item.Number} ({item.Name}) of stream '{item.StreamId}': {cause.Message} Fix the projection and run it again.",
            cause
        ) => (Projection, Event) = (projection, item);

    /// <summary>The projection.</summary>
    public string Projection { get; }

    /// <summary>The event.</summary>
    public StreamEvent Event { get; }
}
