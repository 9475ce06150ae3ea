using System.Diagnostics.CodeAnalysis;
using System.Text;
using Pipeline.Json;

namespace Pipeline.Scripting;

/// <summary>A document as a script sees it: its body and its metadata.</summary>
public readonly struct ScriptDocument
{
    /// <summary>A document from its stored form.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="body">Its body; the memory must stay valid until the run ends.</param>
    public ScriptDocument(string id, BinaryJson body)
    {
        Id = id;
        Body = body;
    }

    /// <summary>The document's id.</summary>
    public string Id { get; init; }

    /// <summary>Its collection; <c>@empty</c> if it has none.</summary>
    [AllowNull]
    public string Collection
    {
        get => field ?? MetadataRules.EmptyCollection;
        init => field = MetadataRules.CollectionOf(value);
    }

    /// <summary>
    /// Its change vector; if none was given, it is computed from <see cref="Version"/> at each access.
    /// </summary>
    public string? ChangeVector
    {
        get =>
            field
            ?? (Version.DatabaseId is { } database ? MetadataRules.ChangeVectorOf(Version.Position, database) : null);
        init;
    }

    /// <summary>
    /// The position and the database's id that the change vector consists of: few scripts ask for its text.
    /// </summary>
    public (long Position, string DatabaseId) Version { get; init; }

    /// <summary>When it was last changed.</summary>
    public DateTimeOffset LastModified { get; init; }

    /// <summary>Whether this is a deletion; the body is then empty.</summary>
    public bool IsDeleted { get; init; }

    /// <summary>The body; empty if there is none.</summary>
    public BinaryJson Body { get; init; }

    /// <summary>A document from its JSON text, for tests and for commands that try a script.</summary>
    /// <exception cref="JsonFormatException">The text is not JSON.</exception>
    public static ScriptDocument FromJson(string id, string json) =>
        new(id, BinaryJson.Parse(Encoding.UTF8.GetBytes(json)));

    /// <summary>The deletion of a document.</summary>
    public static ScriptDocument Deleted(string id, string? collection = null) =>
        new(id, default) { Collection = collection, IsDeleted = true };
}
