namespace Pipeline.Scripting.Runtime;

/// <summary>A document's metadata as scripts see it: the database's properties, then the user's.</summary>
internal static class ScriptMetadata
{
    public static WrappedValue Of(in ScriptDocument document)
    {
        var result = new Dictionary<string, ScriptValue?>
        {
            ["@id"] = document.Id,
            ["@collection"] = document.Collection,
        };
        if (document.ChangeVector is not null)
            result["@change-vector"] = document.ChangeVector;
        if (document.LastModified != default)
            result["@last-modified"] = document.LastModified.UtcDateTime;
        foreach (
            var (name, value) in ScriptValueExtensions.Properties(DocumentValue.Create(document.Body.Root["@metadata"]))
        )
        {
            result[name] = value;
        }

        return new WrappedValue(result);
    }
}
