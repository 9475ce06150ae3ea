using Pipeline.Documents;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Evaluation;

/// <summary>A document's metadata as a value: the database's properties, then the user's.</summary>
internal static class DocumentMetadata
{
    internal static ScriptValue Of(Document document)
    {
        var metadata = new ObjectValue();
        metadata.Set("@id", document.Id);
        metadata.Set("@collection", document.Collection);
        metadata.Set("@change-vector", document.ChangeVector);
        metadata.Set("@last-modified", LastModified(document));
        foreach (var property in document.Metadata.EnumerateObject())
            metadata.Set(property.Name, DocumentValue.Create(property.Value));
        return metadata;
    }

    internal static string LastModified(Document document) =>
        document.LastModified.UtcDateTime.ToString("O", System.Globalization.CultureInfo.InvariantCulture);
}
