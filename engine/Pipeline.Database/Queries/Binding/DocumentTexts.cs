using Pipeline.Json;

namespace Pipeline.Database.Queries.Binding;

/// <summary>The texts from which a field was made, if its name identifies them.</summary>
internal static class DocumentTexts
{
    /// <summary>
    /// The texts of a document for an index field's name: a path, <c>search(path)</c>, or a static index's
    /// <c>ShipTo_City</c>.
    /// </summary>
    internal static IReadOnlyList<string> Of(BinaryValue document, string field)
    {
        var path = field.StartsWith("search(", StringComparison.Ordinal) && field.EndsWith(')') ? field[7..^1] : field;
        var texts = new List<string>();
        Collect(document, path.Split('.'), 0, texts);
        if (texts.Count == 0 && path.Contains('_', StringComparison.Ordinal))
            Collect(document, path.Split('_'), 0, texts);
        return texts;
    }

    private static void Collect(BinaryValue value, string[] path, int at, List<string> texts)
    {
        if (value.Kind == JsonKind.Array)
        {
            foreach (var element in value.EnumerateArray())
                Collect(element, path, at, texts);
        }
        else if (at < path.Length)
        {
            var name = path[at].EndsWith("[]", StringComparison.Ordinal) ? path[at][..^2] : path[at];
            if (value.TryGetProperty(name, out var child))
                Collect(child, path, at + 1, texts);
        }
        else if (value.Kind == JsonKind.String)
        {
            texts.Add(value.GetString()!);
        }
    }
}
