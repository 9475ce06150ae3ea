using System.Text;
using Jint;
using Jint.Native;
using Jint.Native.Object;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>
/// Attachments in maps: <c>attachmentsFor</c>, <c>loadAttachment</c>, <c>loadAttachments</c>. A document that gets or
/// loses one has changed, so its entries follow.
/// </summary>
internal static class IndexAttachments
{
    /// <summary>Adds the functions.</summary>
    /// <param name="engine">Where.</param>
    /// <param name="documents">Reads the contents; if <see langword="null"/>, there are none.</param>
    /// <param name="maxBytes">The most bytes of a content.</param>
    public static void Add(ScriptEngine engine, IScriptDocuments? documents, int maxBytes)
    {
        engine.Add(
            "attachmentsFor",
            (_, arguments) => new JsArray(engine.Engine, [.. Of(arguments, "attachmentsFor")])
        );
        engine.Add(
            "loadAttachments",
            (_, arguments) =>
            {
                var document = Document(arguments, "loadAttachments");
                return new JsArray(
                    engine.Engine,
                    [.. Of(arguments, "loadAttachments").Select(a => Make(engine, documents, document, a, maxBytes))]
                );
            }
        );
        engine.Add(
            "loadAttachment",
            (_, arguments) =>
            {
                var document = Document(arguments, "loadAttachment");
                var name =
                    DocumentFunctions.Text(arguments, 1)
                    ?? throw new InvalidOperationException(
                        "loadAttachment takes a document and the name of an attachment: loadAttachment(o, 'notes.txt')"
                    );
                var known = Of(arguments, "loadAttachment")
                    .FirstOrDefault(a =>
                        string.Equals(a.Get("Name").ToString(), name, StringComparison.OrdinalIgnoreCase)
                    );
                return known is null ? JsValue.Null : Make(engine, documents, document, known, maxBytes);
            }
        );
    }

    private static WholeDocument Document(JsValue[] arguments, string function) =>
        arguments is [WholeDocument document, ..]
            ? document
            : throw new InvalidOperationException($"{function} takes a document");

    private static IEnumerable<ObjectInstance> Of(JsValue[] arguments, string function) =>
        Document(arguments, function).Metadata.Get("@attachments") is JsArray list
            ? Enumerable.Range(0, (int)list.Length).Select(i => list[(uint)i].AsObject())
            : [];

    /// <summary>An attachment's properties, with functions that read its content.</summary>
    private static JsObject Make(
        ScriptEngine engine,
        IScriptDocuments? documents,
        WholeDocument document,
        ObjectInstance known,
        int maxBytes
    )
    {
        var made = new JsObject(engine.Engine);
        foreach (var property in (string[])["Name", "ContentType", "Hash", "Size"])
            made.Set(property, known.Get(property));
        made.Set(
            "getContentAsString",
            engine.Function(
                "getContentAsString",
                (_, given) =>
                {
                    var encoding = DocumentFunctions.Text(given, 0) is { } name ? Named(name) : Encoding.UTF8;
                    var loaded = documents?.LoadAttachment(
                        document.Document.Id,
                        known.Get("Name").ToString(),
                        maxBytes
                    );
                    return loaded is null ? JsValue.Null : JsString.Create(encoding.GetString(loaded.Content.Span));
                }
            )
        );
        return made;
    }

    private static Encoding Named(string name) =>
        name.ToUpperInvariant() switch
        {
            "UTF8" or "UTF-8" => Encoding.UTF8,
            "ASCII" => Encoding.ASCII,
            "UNICODE" or "UTF16" or "UTF-16" => Encoding.Unicode,
            "LATIN1" => Encoding.Latin1,
            _ => throw new InvalidOperationException(
                $"there is no encoding '{name}'; UTF8, ASCII, Unicode and Latin1 are"
            ),
        };
}
