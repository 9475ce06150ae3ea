namespace Pipeline.Database.Scripts.Runtime;

/// <summary>A whole document in an index: beside its properties it has its id and all of its metadata.</summary>
internal sealed class IndexedDocument : DocumentValue
{
    private readonly ScriptDocument _document;
    private ScriptValue? _metadata;

    public IndexedDocument(in ScriptDocument document)
        : base(document.Body.Root) => _document = document;

    public string Id => _document.Id;

    public ScriptValue Metadata => _metadata ??= ScriptMetadata.Of(_document);

    internal override ScriptValue? Property(ReadOnlySpan<byte> utf8Name)
    {
        if (utf8Name.SequenceEqual("@metadata"u8))
            return Metadata;
        return base.Property(utf8Name) ?? (utf8Name.SequenceEqual("Id"u8) || utf8Name.SequenceEqual("__document_id"u8) ? Id : null);
    }
}
