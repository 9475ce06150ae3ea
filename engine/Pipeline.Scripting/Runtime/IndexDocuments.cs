using System.Collections;
using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CA1710 // Definitions use this name for the documents.

/// <summary>
/// The value of <c>docs</c> in a map: in each run only the current document, because a map sees others only through
/// LoadDocument.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class IndexDocuments : IEnumerable<ScriptValue?>
{
    internal IndexDocuments() { }

    internal ScriptValue? Current { get; set; }

    /// <summary>
    /// The documents of a collection: the compiler has recorded which, and the map is run only for those.
    /// </summary>
    public IndexDocuments this[string collection] => this;

    /// <summary>The documents of several collections.</summary>
    public IndexDocuments WhereEntityIs(params string[] collections) => this;

    /// <inheritdoc />
    public IEnumerator<ScriptValue?> GetEnumerator()
    {
        yield return Current;
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}

/// <summary>The C# of an index as its user wrote it.</summary>
/// <param name="Maps">One query over <c>docs</c>, or several.</param>
/// <param name="Reduce">A query over <c>results</c>; <see langword="null"/> if there is none.</param>
public sealed record IndexSource(IReadOnlyList<string> Maps, string? Reduce = null);

/// <summary>
/// A whole document in an index: in addition to its properties it has its id and all of its metadata.
/// </summary>
internal sealed class IndexedDocument(in ScriptDocument document) : WholeDocumentValue(document)
{
    internal override ScriptValue? Property(ReadOnlySpan<byte> utf8Name)
    {
        if (utf8Name.SequenceEqual("@metadata"u8))
            return Metadata;
        return base.Property(utf8Name)
            ?? (utf8Name.SequenceEqual("Id"u8) || utf8Name.SequenceEqual("__document_id"u8) ? Id : null);
    }
}
