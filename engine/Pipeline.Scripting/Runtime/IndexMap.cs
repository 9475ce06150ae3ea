namespace Pipeline.Scripting.Runtime;

/// <summary>The facts about a map that are known before it runs.</summary>
/// <param name="Name">
/// The name under which its errors are reported: <c>map</c>, or <c>map 1</c>, <c>map 2</c> … if there are several.
/// </param>
/// <param name="Collections">
/// The collections that it reads, as written; <see langword="null"/> for all documents.
/// </param>
/// <param name="LoadedCollections">The collections that it names in LoadDocument.</param>
public sealed record IndexMap(string Name, IReadOnlyList<string>? Collections, IReadOnlyList<string> LoadedCollections)
{
    /// <summary>Whether the map is run for documents of a collection, whose case does not matter.</summary>
    public bool Reads(string collection) =>
        Collections is null || Collections.Contains(collection, StringComparer.OrdinalIgnoreCase);
}
