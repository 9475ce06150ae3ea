using System.Text.Json;

namespace Pipeline.Database.Scripts;

/// <summary>A document as a script sees it: its body and what is known about it.</summary>
public readonly struct ScriptDocument
{
    private readonly JsonElement _body;

    private ScriptDocument(JsonElement body, string id)
    {
        _body = body;
        Id = id;
    }

    /// <summary>The document's id.</summary>
    public string Id { get; init; }

    /// <summary>Its collection; <see langword="null"/> where it has none.</summary>
    public string? Collection { get; init; }

    /// <summary>Its change vector.</summary>
    public string? ChangeVector { get; init; }

    /// <summary>When it was last changed.</summary>
    public DateTimeOffset LastModified { get; init; }

    /// <summary>Whether this is a deletion; the body is then empty.</summary>
    public bool IsDeleted { get; init; }

    internal JsonElement Body => _body;

    /// <summary>A document from its JSON text, for tests and for <c>try</c> commands.</summary>
    /// <exception cref="JsonException">The text is not JSON.</exception>
    public static ScriptDocument FromJson(string id, string json)
    {
        using var parsed = JsonDocument.Parse(json);
        return new ScriptDocument(parsed.RootElement.Clone(), id);
    }

    /// <summary>The deletion of a document.</summary>
    public static ScriptDocument Deleted(string id, string? collection = null) =>
        new(default, id) { Collection = collection, IsDeleted = true };
}
