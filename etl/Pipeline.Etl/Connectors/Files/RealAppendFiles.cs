using Microsoft.Win32.SafeHandles;
using Pipeline.Storage;

namespace Pipeline.Etl.Connectors.Files;

/// <summary>The real file system. On Windows, file names are durable without a sync.</summary>
internal sealed class RealAppendFiles : IAppendFiles
{
    public static RealAppendFiles Instance { get; } = new();

    private RealAppendFiles() { }

    public void CreateFolder(string path)
    {
        if (OperatingSystem.IsWindows())
            Directory.CreateDirectory(path);
        else
            DurableFolder.Create(NativeStorageFiles.Instance, path);
    }

    public IAppendFile Open(string path) =>
        new RealFile(File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read));

    public void SyncFolder(string path)
    {
        if (!OperatingSystem.IsWindows())
            NativeStorageFiles.Instance.SyncDirectory(path);
    }

    private sealed class RealFile(SafeFileHandle handle) : IAppendFile
    {
        public long Length => RandomAccess.GetLength(handle);

        public int Read(Span<byte> target, long offset) => RandomAccess.Read(handle, target, offset);

        public void Write(ReadOnlySpan<byte> bytes, long offset) => RandomAccess.Write(handle, bytes, offset);

        public void Truncate(long length) => RandomAccess.SetLength(handle, length);

        public void Sync() => RandomAccess.FlushToDisk(handle);

        public void Dispose() => handle.Dispose();
    }
}
