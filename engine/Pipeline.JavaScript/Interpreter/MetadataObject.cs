using System.Globalization;
using Jint;
using Jint.Native;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>A document's metadata: the database's properties, then the user's.</summary>
internal sealed class MetadataObject(Engine engine, ScriptDocument document)
    : DocumentObject(engine, document.Body.Root["@metadata"])
{
    /// <summary>Whether a property is the database's own: it is never stored with the document.</summary>
    public static bool IsOwn(string name) => name is "@id" or "@collection" or "@change-vector" or "@last-modified";

    /// <inheritdoc/>
    protected override void Initialize()
    {
        Add("@id", JsString.Create(document.Id));
        Add("@collection", JsString.Create(document.Collection));
        if (document.ChangeVector is { } version)
            Add("@change-vector", JsString.Create(version));
        if (document.LastModified != default)
        {
            Add(
                "@last-modified",
                JsString.Create(
                    document.LastModified.UtcDateTime.ToString(
                        "yyyy-MM-dd'T'HH:mm:ss.fffffff'Z'",
                        CultureInfo.InvariantCulture
                    )
                )
            );
        }

        base.Initialize();
    }
}
