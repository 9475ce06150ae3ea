using System.Globalization;
using Pipeline.Documents;

namespace Pipeline.Database.Indexes;

/// <summary>
/// The places of the stores of a database's indexes: each version of each index has a separate folder under
/// <c>indexes</c>.
/// </summary>
internal static class IndexFolder
{
    private const int MaxName = 80;
    private const char OtherSuffix = '~';

    /// <summary>
    /// A folder's name: the characters of the index's name that every file system accepts, and a number that is never
    /// reused.
    /// </summary>
    public static string Name(string index, long number) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{new string([.. index.Take(MaxName).Select(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' ? c : '_')])}-{number}"
        );

    public static string? Path(DocumentStorageOptions options, string folder) =>
        options.Path is null && options.Files is null
            ? null
            : System.IO.Path.Combine(options.Path ?? "/", "indexes", folder);

    /// <summary>
    /// Where a version is built anew while queries still use its files. Its folder's name stays as the definitions have
    /// it.
    /// </summary>
    public static string Other(string folder, string place) => place == folder ? folder + OtherSuffix : folder;

    /// <summary>The folder of the definition whose files lie there.</summary>
    public static string DefinedBy(string place) => place.EndsWith(OtherSuffix) ? place[..^1] : place;

    /// <summary>The places where the files of a version are; the folder itself if there are none.</summary>
    public static IReadOnlyList<string> Places(DocumentStorageOptions options, string folder)
    {
        var other = Other(folder, folder);
        if (Path(options, other) is not { } path)
            return [folder];
        var exists = options.Files is { } files ? files.List(path, "").Count > 0 : Directory.Exists(path);
        return exists ? [other, folder] : [folder];
    }

    /// <summary>Deletes a version's files.</summary>
    /// <returns>Whether that was possible; the next opening of the database deletes the rest.</returns>
    public static bool TryDelete(DocumentStorageOptions options, string folder)
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

    private static void Delete(DocumentStorageOptions options, string folder)
    {
        if (Path(options, folder) is not { } path)
            return;
        if (options.Files is { } files)
        {
            foreach (var directory in new[] { System.IO.Path.Combine(path, "journal"), path })
            {
                foreach (var file in files.List(directory, ""))
                    files.Delete(file);
            }

            return;
        }

        if (Directory.Exists(path))
            Directory.Delete(path, recursive: true);
    }

    /// <summary>The versions that lie there.</summary>
    public static IReadOnlyList<string> List(DocumentStorageOptions options)
    {
        if (options.Path is null || options.Files is not null)
            return [];
        var parent = System.IO.Path.Combine(options.Path, "indexes");
        return Directory.Exists(parent)
            ? [.. Directory.EnumerateDirectories(parent).Select(d => System.IO.Path.GetFileName(d)!)]
            : [];
    }
}
