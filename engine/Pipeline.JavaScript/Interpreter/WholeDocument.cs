using Jint;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>
/// A document as <c>this</c> and <c>load</c> return it: its properties, and <c>@metadata</c> with the database's
/// properties.
/// </summary>
internal sealed class WholeDocument(Engine engine, ScriptDocument document) : DocumentObject(engine, document.Body.Root)
{
    private MetadataObject? _metadata;

    /// <summary>The document.</summary>
    public ScriptDocument Document => document;

    /// <summary>Its metadata, which is the same object each time.</summary>
    public MetadataObject Metadata => _metadata ??= new MetadataObject(Engine, document);

    /// <inheritdoc/>
    protected override void Initialize()
    {
        base.Initialize();
        Add("@metadata", Metadata);
    }
}
