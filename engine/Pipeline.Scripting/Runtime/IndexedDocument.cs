namespace Pipeline.Scripting.Runtime;

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
