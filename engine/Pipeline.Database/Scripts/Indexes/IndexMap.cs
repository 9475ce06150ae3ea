namespace Pipeline.Database.Scripts.Indexes;

/// <summary>What is known of a map before it runs.</summary>
/// <param name="Name">What its errors are reported under: <c>map</c>, or <c>map 1</c>, <c>map 2</c> … where there are several.</param>
/// <param name="Collections">The collections that it reads, as written; <see langword="null"/> for all documents.</param>
/// <param name="LoadedCollections">The collections that it names in LoadDocument.</param>
public sealed record IndexMap(string Name, IReadOnlyList<string>? Collections, IReadOnlyList<string> LoadedCollections)
{
    /// <summary>Whether the map is run for documents of a collection, whose case does not matter.</summary>
    public bool Reads(string collection) => Collections is null || Collections.Contains(collection, StringComparer.OrdinalIgnoreCase);
}
