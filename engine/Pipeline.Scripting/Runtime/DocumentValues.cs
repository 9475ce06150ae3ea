using Pipeline.Json;

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

/// <summary>
/// The value of an object's property as an element of that object. It also has <c>Key</c> and <c>Value</c>, like the
/// pairs of a dictionary.
/// </summary>
internal sealed class NamedDocumentValue(BinaryProperty property) : DocumentValue(property.Value)
{
    internal override ScriptValue? Property(ReadOnlySpan<byte> utf8Name) =>
        base.Property(utf8Name)
        ?? (
            utf8Name.SequenceEqual("Key"u8) ? property.Name
            : utf8Name.SequenceEqual("Value"u8) ? Create(property.Value)
            : null
        );
}
