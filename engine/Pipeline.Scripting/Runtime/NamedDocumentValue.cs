using Pipeline.Json;

namespace Pipeline.Scripting.Runtime;

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
