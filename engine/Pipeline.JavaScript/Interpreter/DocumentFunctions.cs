using Jint;
using Jint.Native;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>
/// The functions over documents that all scripts have: <c>id</c>, <c>getMetadata</c>, <c>lastModified</c>, <c>load</c>.
/// </summary>
internal static class DocumentFunctions
{
    /// <summary>Adds them.</summary>
    /// <param name="engine">Where.</param>
    /// <param name="documents">
    /// The documents that <c>load</c> reads at the time of a call; if <see langword="null"/>, it finds nothing.
    /// </param>
    public static void Add(ScriptEngine engine, Func<IScriptDocuments?> documents)
    {
        engine.Documents = documents;
        engine.Add(
            "id",
            (_, arguments) =>
                arguments is [WholeDocument document, ..] ? JsString.Create(document.Document.Id) : JsValue.Null
        );
        engine.Add(
            "getMetadata",
            (_, arguments) =>
                arguments is [WholeDocument document, ..]
                    ? document.Metadata
                    : throw new InvalidOperationException("getMetadata takes a document: this, or what load gave")
        );
        engine.Add(
            "lastModified",
            (_, arguments) =>
                arguments is [WholeDocument document, ..]
                    ? JsNumber.Create(document.Document.LastModified.ToUnixTimeMilliseconds())
                    : JsValue.Null
        );
        engine.Add(
            "load",
            (_, arguments) =>
            {
                if (arguments.Length > 0 && arguments[0] is JsArray list)
                {
                    return new JsArray(
                        engine.Engine,
                        [
                            .. Enumerable
                                .Range(0, (int)list.Length)
                                .Select(i => Load(engine.Engine, documents(), list[(uint)i])),
                        ]
                    );
                }

                return arguments.Length > 0
                    ? Load(engine.Engine, documents(), arguments[0])
                    : throw new InvalidOperationException("load takes the id of a document");
            }
        );
    }

    /// <summary>A text argument; <see langword="null"/> if there is none.</summary>
    public static string? Text(JsValue[] arguments, int index) =>
        index < arguments.Length && !arguments[index].IsNull() && !arguments[index].IsUndefined()
            ? arguments[index].ToString()
            : null;

    private static JsValue Load(Engine engine, IScriptDocuments? documents, JsValue id) =>
        id.IsString() && documents is not null && documents.TryLoad(id.ToString(), out var document)
            ? new WholeDocument(engine, document)
            : JsValue.Null;
}
