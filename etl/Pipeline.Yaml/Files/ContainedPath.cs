namespace Pipeline.Yaml.Files;

/// <summary>Tells whether a path lies in a folder once every link on the way is followed. Stateless.</summary>
internal static class ContainedPath
{
    private const int MaxLinks = 40;

    /// <summary>
    /// Whether the path is the folder or lies beneath it. A path through too many links, or an unreadable one, lies in
    /// no folder.
    /// </summary>
    public static bool IsWithin(string folder, string path)
    {
        string? root,
            place;
        try
        {
            (root, place) = (Resolve(folder), Resolve(path));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }

        if (root is null || place is null)
            return false;
        var relative = Path.GetRelativePath(root, place);
        return relative != ".."
            && !relative.StartsWith(".." + Path.DirectorySeparatorChar, StringComparison.Ordinal)
            && !Path.IsPathRooted(relative);
    }

    /// <summary>
    /// The absolute path once every link on the way is followed; null if there are too many links. The file need not
    /// exist.
    /// </summary>
    /// <exception cref="IOException">A part cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">A part may not be read.</exception>
    public static string? Resolve(string path)
    {
        string rest = Path.GetFullPath(path),
            root = Path.GetPathRoot(rest)!,
            place = root;
        var names = new Stack<string>(
            rest[root.Length..].Split(Path.DirectorySeparatorChar, StringSplitOptions.RemoveEmptyEntries).Reverse()
        );
        for (var links = 0; names.TryPop(out var name); )
        {
            if (name == "..")
            {
                place = Path.GetDirectoryName(place) ?? root;
                continue;
            }

            var next = Path.Combine(place, name);
            if (new FileInfo(next).LinkTarget is not { } target)
            {
                place = next;
                continue;
            }

            if (++links > MaxLinks)
                return null;
            if (Path.IsPathRooted(target))
                place = Path.GetPathRoot(target)!;
            foreach (
                var part in target
                    .Split(Path.DirectorySeparatorChar, StringSplitOptions.RemoveEmptyEntries)
                    .Reverse()
                    .Where(p => p != ".")
            )
            {
                names.Push(part);
            }
        }

        return place;
    }
}
