using System.Runtime.CompilerServices;

namespace Pipeline.TestKit.Files;

/// <summary>The repository's own files, found from where this file was compiled.</summary>
public static class RepositoryTree
{
    private static readonly string[] Skipped =
    [
        "artifacts",
        "bin",
        "obj",
        ".git",
        "node_modules",
        "TestResults",
        "data",
        "out",
    ];

    public static string Root { get; } = FindRoot();

    public static IEnumerable<string> Files(string extension, string under = "") =>
        Walk(Path.Combine(Root, under)).Where(f => f.EndsWith(extension, StringComparison.Ordinal));

    /// <summary>The path from the root, with forward slashes.</summary>
    public static string Relative(string file) => Path.GetRelativePath(Root, file).Replace('\\', '/');

    private static IEnumerable<string> Walk(string folder)
    {
        foreach (var file in Directory.EnumerateFiles(folder))
            yield return file;
        foreach (var child in Directory.EnumerateDirectories(folder))
        {
            if (Skipped.Contains(Path.GetFileName(child)))
                continue;
            foreach (var file in Walk(child))
                yield return file;
        }
    }

    private static string FindRoot([CallerFilePath] string here = "")
    {
        foreach (var start in new[] { Path.GetDirectoryName(here), AppContext.BaseDirectory })
        {
            for (var folder = start; folder is not null; folder = Path.GetDirectoryName(folder))
            {
                if (File.Exists(Path.Combine(folder, "Pipeline.sln")))
                    return folder;
            }
        }

        throw new InvalidOperationException(
            "Pipeline.sln was not found above the tests; run them inside the repository."
        );
    }
}
