using System.Globalization;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>Where the stores of a database's indexes lie: each version of each in a folder of its own under <c>indexes</c>.</summary>
internal static class IndexFolder
{
    private const int MaxName = 80;

    /// <summary>A folder's name: what of the index's name every file system takes, and a number that is never given again.</summary>
    public static string Name(string index, long number) => string.Create(
        CultureInfo.InvariantCulture,
        $"{new string([.. index.Take(MaxName).Select(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' ? c : '_')])}-{number}");

    public static string? Path(DatabaseOptions options, string folder) =>
        options.Path is null && options.Files is null ? null : System.IO.Path.Combine(options.Path ?? "/", "indexes", folder);

    /// <summary>Deletes a version's files.</summary>
    /// <returns>Whether that was possible; what could not be deleted is when the database is opened again.</returns>
    public static bool TryDelete(DatabaseOptions options, string folder)
    {
        try
        {
            Delete(options, folder);
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    private static void Delete(DatabaseOptions options, string folder)
    {
        if (Path(options, folder) is not { } path) return;
        if (options.Files is { } files)
        {
            foreach (string directory in new[] { System.IO.Path.Combine(path, "journal"), path })
            {
                foreach (string file in files.List(directory, "")) files.Delete(file);
            }

            return;
        }

        if (Directory.Exists(path)) Directory.Delete(path, recursive: true);
    }

    /// <summary>The versions that lie there.</summary>
    public static IReadOnlyList<string> List(DatabaseOptions options)
    {
        if (options.Path is null || options.Files is not null) return [];
        string parent = System.IO.Path.Combine(options.Path, "indexes");
        return Directory.Exists(parent) ? [.. Directory.EnumerateDirectories(parent).Select(d => System.IO.Path.GetFileName(d)!)] : [];
    }
}
