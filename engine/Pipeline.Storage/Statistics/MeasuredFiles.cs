namespace Pipeline.Storage;

/// <summary>Files whose writes and syncs are counted.</summary>
internal sealed class MeasuredFiles(IStorageFiles files, IoRecorder io) : IStorageFiles
{
    public void CreateDirectory(string path) => files.CreateDirectory(path);

    public bool DirectoryExists(string path) => files.DirectoryExists(path);

    public bool Exists(string path) => files.Exists(path);

    public IReadOnlyList<string> List(string directory, string suffix) => files.List(directory, suffix);

    public long IdentityOf(string path) => files.IdentityOf(path);

    public IStorageFile Open(string path, bool create) =>
        new MeasuredFile(files.Open(path, create), io, path.EndsWith(JournalLayout.Suffix, StringComparison.Ordinal));

    public void Move(string source, string target) => files.Move(source, target);

    public void Delete(string path) => files.Delete(path);

    public void SyncDirectory(string path) => files.SyncDirectory(path);

    public long? FindFreeBytes(string directory) => files.FindFreeBytes(directory);

    public IDisposable Lock(string path, string holder) => files.Lock(path, holder);
}
