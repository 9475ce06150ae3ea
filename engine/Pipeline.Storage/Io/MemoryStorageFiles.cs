namespace Pipeline.Storage;

/// <summary>
/// Files in memory, for stores that live as long as their process. A file's bytes are freed when it is deleted or, once
/// mapped, when it is disposed.
/// </summary>
public sealed class MemoryStorageFiles : IStorageFiles
{
    // By the path in the system's form: Windows has two separators.
    private readonly Dictionary<string, MemoryStorageFile> _files = [];

    /// <inheritdoc/>
    public void CreateDirectory(string path) { }

    /// <inheritdoc/>
    public bool DirectoryExists(string path) => true;

    /// <inheritdoc/>
    public bool Exists(string path)
    {
        lock (_files)
            return _files.ContainsKey(Form(path));
    }

    /// <inheritdoc/>
    public IReadOnlyList<string> List(string directory, string suffix)
    {
        directory = Form(directory);
        lock (_files)
        {
            return
            [
                .. _files.Keys.Where(f =>
                    Path.GetDirectoryName(f) == directory && f.EndsWith(suffix, StringComparison.Ordinal)
                ),
            ];
        }
    }

    /// <inheritdoc/>
    public IStorageFile Open(string path, bool create)
    {
        lock (_files)
        {
            if (_files.TryGetValue(Form(path), out var file))
                return file;
            if (!create)
                throw new FileNotFoundException($"{path}: no such file.", path);
            return _files[Form(path)] = new MemoryStorageFile(path);
        }
    }

    /// <inheritdoc/>
    public void Move(string source, string target)
    {
        lock (_files)
        {
            _files.Remove(Form(source), out var file);
            _files[Form(target)] = file ?? throw new FileNotFoundException($"{source}: no such file.", source);
            file.Path = target;
        }
    }

    /// <inheritdoc/>
    public void Delete(string path)
    {
        lock (_files)
            _files.Remove(Form(path));
    }

    /// <inheritdoc/>
    public void SyncDirectory(string path) { }

    /// <inheritdoc/>
    public IDisposable Lock(string path, string holder) => new MemoryStream();

    private static string Form(string path) =>
        path.Replace(Path.AltDirectorySeparatorChar, Path.DirectorySeparatorChar);
}
