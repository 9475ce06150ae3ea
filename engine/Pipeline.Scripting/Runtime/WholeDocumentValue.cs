namespace Pipeline.Scripting.Runtime;

/// <summary>A whole document that is known with its id and all of its metadata.</summary>
internal class WholeDocumentValue : DocumentValue
{
    private readonly ScriptDocument _document;
    private ScriptValue? _metadata;

    public WholeDocumentValue(in ScriptDocument document)
        : base(document.Body.Root) => _document = document;

    public string Id => _document.Id;

    public ScriptValue Metadata => _metadata ??= ScriptMetadata.Of(_document);
}
