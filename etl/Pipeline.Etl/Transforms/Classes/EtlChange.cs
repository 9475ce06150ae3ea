using System.Text.Json;
using System.Text.Json.Nodes;
using Pipeline.Client.Sessions;
using Pipeline.Client.Transport;
using Pipeline.Scripting;

namespace Pipeline.Etl.Transforms;

/// <summary>A changed document in a transform. Valid until the transform returns; for its thread only.</summary>
/// <typeparam name="T">The document's class.</typeparam>
public sealed class EtlChange<T>
    where T : class
{
    private readonly ScriptContext _context;
    private readonly TransformClasses _classes;
    private readonly TransformBuffers _buffers;
    private readonly DocumentData? _data;
    private readonly T? _document;
    private int _messages;

    internal EtlChange(
        ScriptContext context,
        TransformClasses classes,
        TransformBuffers buffers,
        CancellationToken cancellationToken
    )
    {
        (_context, _classes, _buffers, CancellationToken) = (context, classes, buffers, cancellationToken);
        if (IsDeleted)
            return;
        (_data, _document) = Read<T>(context.Document);
    }

    /// <summary>The document's id.</summary>
    public string Id => _context.Document.Id;

    /// <summary>Its collection.</summary>
    public string Collection => _context.Document.Collection;

    /// <summary>Its version.</summary>
    public string? ChangeVector => _context.Document.ChangeVector;

    /// <summary>When it was last changed.</summary>
    public DateTimeOffset LastModified => _context.Document.LastModified;

    /// <summary>Whether it was deleted. Only tasks with <c>onDelete</c> receive deletions.</summary>
    public bool IsDeleted => _context.Document.IsDeleted;

    /// <summary>The document.</summary>
    /// <exception cref="InvalidOperationException">It was deleted.</exception>
    public T Document =>
        _document
        ?? throw new InvalidOperationException($"'{Id}' was deleted and has no content; ask for IsDeleted first");

    /// <summary>The stored metadata, in a copy; empty for a deletion.</summary>
    public JsonObject Metadata =>
        _data is { Metadata.IsEmpty: false } data ? JsonNode.Parse(data.Metadata.Span)!.AsObject() : [];

    /// <summary>Cancelled when the task stops.</summary>
    public CancellationToken CancellationToken { get; }

    /// <summary>Loads another document from the same snapshot.</summary>
    /// <param name="id">Its id; without one, nothing is found.</param>
    /// <returns>The document; <see langword="null"/> if there is none.</returns>
    public TOther? Load<TOther>(string? id)
        where TOther : class =>
        id is not null && _context.Documents is { } documents && documents.TryLoad(id, out var found)
            ? Read<TOther>(found).Document
            : null;

    /// <summary>Loads an attachment of the document.</summary>
    /// <param name="name">Its name.</param>
    /// <returns>The attachment; <see langword="null"/> if there is none.</returns>
    /// <exception cref="ScriptLimitException">It is larger than the task's <c>limits.bodyBytes</c>.</exception>
    public ScriptAttachment? LoadAttachment(string name) =>
        IsDeleted ? null : _context.Documents?.LoadAttachment(Id, name, _context.Limits.MaxBodyBytes);

    /// <summary>
    /// Sends a message. If they are missing, the task adds a type, a source, and an id that stays the same when the
    /// message is resent.
    /// </summary>
    /// <param name="destination">Topic, queue or file.</param>
    /// <param name="message">The body. It is serialized before the call returns.</param>
    /// <param name="key">Key or routing key.</param>
    /// <param name="id">The id of the CloudEvent, by which consumers deduplicate.</param>
    /// <param name="type">The type of the CloudEvent.</param>
    /// <param name="source">The source of the CloudEvent.</param>
    /// <exception cref="ScriptLimitException">
    /// There are more messages than <c>limits.messages</c>, or the body is larger than <c>limits.bodyBytes</c>.
    /// </exception>
    public void Send<TMessage>(
        string destination,
        TMessage message,
        string? key = null,
        string? id = null,
        string? type = null,
        string? source = null
    )
    {
        ArgumentException.ThrowIfNullOrEmpty(destination);
        if (++_messages > _context.Limits.MaxMessages)
            throw TransformClasses.OverLimit(nameof(ScriptLimits.MaxMessages), _context.Limits.MaxMessages);
        var body = _buffers.Write(message, _classes.Options.Serializer);
        if (body.Length > _context.Limits.MaxBodyBytes)
            throw TransformClasses.OverLimit(nameof(ScriptLimits.MaxBodyBytes), _context.Limits.MaxBodyBytes);
        _context.Output.Send(
            new ScriptMessage
            {
                Destination = destination,
                Body = body,
                Key = key,
                Id = id,
                Type = type,
                Source = source,
            }
        );
    }

    private (DocumentData Data, TOther Document) Read<TOther>(in ScriptDocument document)
        where TOther : class
    {
        var data = TransformBuffers.Read(document);
        try
        {
            return (data, (TOther)DocumentReader.Read(data, _classes.ModelOf(typeof(TOther)), setsId: true)!);
        }
        catch (Exception e) when (e is JsonException or NotSupportedException or InvalidCastException)
        {
            throw new ScriptRuntimeException(
                $"The document '{document.Id}' cannot be read as {typeof(TOther).Name}: {e.Message}",
                inner: e
            );
        }
    }
}
