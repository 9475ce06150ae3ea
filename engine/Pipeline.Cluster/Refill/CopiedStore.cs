using System.Text.RegularExpressions;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>A store that a copy of a node includes, such as an index.</summary>
/// <param name="Folder">Its folder below the node's, such as <c>indexes/Orders-3</c>.</param>
/// <param name="Store">The store.</param>
internal sealed partial record CopiedStore(string Folder, StorageEnvironment Store)
{
    /// <summary>
    /// Whether a name from another node is safe to append to a path: it stays below this node's folder.
    /// </summary>
    public static bool IsFolder(string name) => name.Length <= 300 && Folders().IsMatch(name);

    [GeneratedRegex("^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\\z", RegexOptions.CultureInvariant)]
    private static partial Regex Folders();
}
