namespace Pipeline.Scripting.Runtime;

/// <summary>
/// The names of an automatic index's fields. A field of a query is looked for under these first, then under its own
/// name.
/// </summary>
public static class IndexFieldNames
{
    /// <summary>The field in which every index has the document's id, without case.</summary>
    public const string DocumentId = "id()";

    /// <summary>The field with the values of a path, with their case.</summary>
    /// <param name="path">The path in the document.</param>
    /// <returns>The field's name.</returns>
    public static string Exact(string path) => $"exact({path})";

    /// <summary>The field with the words of a path.</summary>
    /// <param name="path">The path in the document.</param>
    /// <returns>The field's name.</returns>
    public static string Search(string path) => $"search({path})";

    /// <summary>
    /// The field with the factors for a field's scores, entry by entry; without name, for all scores of an entry.
    /// </summary>
    /// <param name="field">The name of the field, or nothing.</param>
    /// <returns>The field's name.</returns>
    public static string Boost(string field) => $"boost({field})";

    internal static bool IsBoost(string name) => name.StartsWith("boost(", StringComparison.Ordinal);

    /// <summary>
    /// The name that a static index has for a path, as RavenDB's clients write it: <c>ShipTo_City</c>,
    /// <c>Lines_Product</c>.
    /// </summary>
    /// <param name="path">The path in the document.</param>
    /// <returns>The field's name.</returns>
    public static string Static(string path) => path.Replace("[]", "", StringComparison.Ordinal).Replace('.', '_');
}
