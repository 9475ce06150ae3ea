using System.Globalization;

namespace Pipeline.Json;

/// <summary>How a document's collection and version are written, for scripts and for the store alike.</summary>
internal static class MetadataRules
{
    /// <summary>The name of the collection of every document that was stored without one.</summary>
    public const string EmptyCollection = "@empty";

    /// <summary>
    /// The collection that a name stands for: null and the empty text stand for <see cref="EmptyCollection"/>, which
    /// has one spelling.
    /// </summary>
    public static string CollectionOf(string? name) =>
        string.IsNullOrEmpty(name) || name.Equals(EmptyCollection, StringComparison.OrdinalIgnoreCase)
            ? EmptyCollection
            : name;

    /// <summary>
    /// Whether a collection belongs to the database: its name begins with <c>@</c>, and it is not
    /// <see cref="EmptyCollection"/>.
    /// </summary>
    public static bool IsSystemCollection(string name) => name.StartsWith('@') && CollectionOf(name) != EmptyCollection;

    /// <summary>The change vector of a position: <c>A:&lt;position&gt;-&lt;database id&gt;</c>.</summary>
    public static string ChangeVectorOf(long position, string database) =>
        string.Create(CultureInfo.InvariantCulture, $"A:{position}-{database}");
}
