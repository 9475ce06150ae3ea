using System.Text;
using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>A document that is parsed but not stored. Immutable and thread-safe.</summary>
public sealed class DocumentDraft
{
    private DocumentDraft(string? id, string? collection, BinaryJson body, bool listsAttachments)
    {
        ListsAttachments = listsAttachments;
        Id = id;
        Collection = collection;
        Body = body;
    }

    /// <summary>The <c>@id</c> of its metadata, if it has one.</summary>
    public string? Id { get; }

    /// <summary>The <c>@collection</c> of its metadata, if it has one.</summary>
    public string? Collection { get; }

    /// <summary>The document with the user's part of its metadata.</summary>
    public BinaryJson Body { get; }

    /// <summary>Whether its metadata has <c>@attachments</c>; only the database can check that list.</summary>
    internal bool ListsAttachments { get; }

    /// <summary>Parses a document.</summary>
    /// <param name="utf8Json">
    /// A JSON object. The properties of <c>@metadata</c> that the database keeps itself (<c>@id</c>,
    /// <c>@collection</c>,
    /// <c>@change-vector</c>, <c>@last-modified</c>, <c>@flags</c>) are removed; the others are kept unchanged.
    /// </param>
    /// <param name="limits">Depth and size; <see cref="JsonLimits.Default"/> if null.</param>
    /// <returns>The draft, which does not refer to the text.</returns>
    /// <exception cref="JsonFormatException">The text is not a document; says where and why.</exception>
    public static DocumentDraft Parse(ReadOnlySpan<byte> utf8Json, JsonLimits? limits = null)
    {
        var parser = BinaryJsonParser.ForThread();
        parser.ParseText(utf8Json, limits ?? JsonLimits.Default, asDocument: true);
        var id = parser.TryGetId(out var idBytes) ? Encoding.UTF8.GetString(idBytes) : null;
        var collection = parser.TryGetCollection(out var name) ? Encoding.UTF8.GetString(name) : null;
        var draft = new DocumentDraft(id, collection, new BinaryJson(parser.Output.ToArray()), parser.ListsAttachments);
        parser.Trim();
        return draft;
    }
}
