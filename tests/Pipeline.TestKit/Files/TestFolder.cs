namespace Pipeline.TestKit.Files;

/// <summary>A folder of one test, removed at its end.</summary>
public sealed class TestFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("pipeline-test-").FullName;

    public string this[string name] => System.IO.Path.Combine(Path, name);

    public string Write(string name, string text)
    {
        Directory.CreateDirectory(System.IO.Path.GetDirectoryName(this[name])!);
        File.WriteAllText(this[name], text);
        return this[name];
    }

    /// <summary>
    /// Copies a folder's files except locks. It overwrites existing files in place, as <c>cp</c> does; others stay.
    /// </summary>
    public static void Copy(string from, string to)
    {
        foreach (
            var file in Directory
                .EnumerateFiles(from, "*", SearchOption.AllDirectories)
                .Where(f => !f.EndsWith(".lock", StringComparison.Ordinal))
        )
        {
            var target = System.IO.Path.Combine(to, System.IO.Path.GetRelativePath(from, file));
            Directory.CreateDirectory(System.IO.Path.GetDirectoryName(target)!);
            File.Copy(file, target, overwrite: true);
        }
    }

    public void Dispose() => Directory.Delete(Path, recursive: true);

    public override string ToString() => Path;
}
