namespace Pipeline.TestKit.Files;

/// <summary>Reads files that somebody has open for writing. On Windows, a reader must allow that.</summary>
public static class OpenFile
{
    /// <summary>All lines of a file.</summary>
    public static IReadOnlyList<string> ReadLines(string path)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        using var reader = new StreamReader(file);
        var lines = new List<string>();
        while (reader.ReadLine() is { } line)
            lines.Add(line);
        return lines;
    }
}
