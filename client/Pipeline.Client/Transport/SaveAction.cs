namespace Pipeline.Client.Transport;

/// <summary>
/// A change of a save that is neither the put nor the deletion of a document. It runs after those, in the same
/// transaction.
/// </summary>
/// <param name="id">
/// The document, or the key of a compare-exchange value; <see langword="null"/> until the object has an id.
/// </param>
/// <param name="entity">The object whose document it changes, if it has no id yet.</param>
internal abstract class SaveAction(string? id, object? entity = null)
{
    private string? _id = id;

    /// <summary>The document, or the key of a compare-exchange value.</summary>
    public string Id
    {
        get => _id ?? throw new InvalidOperationException("the object has no id yet");
        set => _id = value;
    }

    /// <summary>Whether the id is known.</summary>
    public bool HasId => _id is not null;

    /// <summary>The object whose document it changes, if it had no id.</summary>
    public object? Entity { get; } = entity;
}

/// <summary>Runs a script on a document.</summary>
internal abstract class PatchAction(string id) : SaveAction(id)
{
    /// <summary>The script in JavaScript.</summary>
    public abstract string Script { get; }

    /// <summary>An object in UTF-8 JSON, which the script sees as <c>args</c>.</summary>
    public abstract ReadOnlyMemory<byte> Arguments { get; }

    /// <summary>Whether the script can change other documents, too.</summary>
    public abstract bool IsFree { get; }
}

/// <summary>Runs a script of the user on a document.</summary>
internal sealed class ScriptPatch(string id, string script, ReadOnlyMemory<byte> arguments) : PatchAction(id)
{
    public override string Script { get; } = script;

    public override ReadOnlyMemory<byte> Arguments { get; } = arguments;

    public override bool IsFree => true;
}

/// <summary>Gives a document an attachment.</summary>
internal sealed class AttachmentPut(string? id, object? entity, string name, Stream content, string? contentType)
    : SaveAction(id, entity)
{
    private readonly long _start = content.CanSeek ? content.Position : -1;
    private bool _isRead;

    public string Name { get; } = name;

    public string? ContentType { get; } = contentType;

    /// <summary>The content from its beginning, also for a save that repeats a failed one.</summary>
    /// <exception cref="InvalidOperationException">A failed save has read the stream, which cannot seek.</exception>
    public Stream Open()
    {
        if (_isRead && _start < 0)
        {
            throw new InvalidOperationException(
                $"a save that failed has read the content of the attachment '{Name}', and its stream cannot seek; begin a new session with a new stream"
            );
        }

        if (_isRead)
            content.Position = _start;
        _isRead = true;
        return content;
    }
}

/// <summary>Takes an attachment from a document.</summary>
internal sealed class AttachmentDelete(string? id, object? entity, string name) : SaveAction(id, entity)
{
    public string Name { get; } = name;
}

/// <summary>Copies an attachment to another document or name.</summary>
internal sealed class AttachmentCopy(string id, string name, string toId, string toName) : SaveAction(id)
{
    public string Name { get; } = name;

    public string ToId { get; } = toId;

    public string ToName { get; } = toName;
}

/// <summary>Sets or deletes a compare-exchange value.</summary>
/// <param name="key">The key.</param>
/// <param name="json">The value as stored; empty deletes it.</param>
/// <param name="index">The index that it must have; 0: there must be none.</param>
internal sealed class CompareExchangeChange(string key, ReadOnlyMemory<byte> json, long index) : SaveAction(key)
{
    public ReadOnlyMemory<byte> Json { get; } = json;

    public long Index { get; } = index;
}

/// <summary>What a save did.</summary>
/// <param name="Documents">One result for each command, in their order.</param>
/// <param name="Actions">One result for each action, in their order.</param>
internal readonly record struct SaveAnswer(IReadOnlyList<SavedDocument> Documents, IReadOnlyList<ActionResult> Actions);

/// <summary>What an action did.</summary>
/// <param name="ChangeVector">The version of the document now; <see langword="null"/> if there is none.</param>
/// <param name="Document">The document after a patch; <see langword="null"/> if there is none.</param>
internal readonly record struct ActionResult(string? ChangeVector, DocumentData? Document);
