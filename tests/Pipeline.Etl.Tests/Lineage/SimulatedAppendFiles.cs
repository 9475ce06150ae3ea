using Pipeline.Etl.Connectors.Files;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;

namespace Pipeline.Etl.Tests.Lineage;

/// <summary>A simulated disk under the files sink.</summary>
internal sealed class SimulatedAppendFiles(SimulatedDisk disk) : IAppendFiles
{
    public void CreateFolder(string path) => DurableFolder.Create(disk, path);

    public IAppendFile Open(string path) => new SimulatedAppendFile(disk.Open(path, create: true));

    public void SyncFolder(string path) => disk.SyncDirectory(path);

    private sealed class SimulatedAppendFile(IStorageFile file) : IAppendFile
    {
        public long Length => file.Length;

        public int Read(Span<byte> target, long offset) => file.Read(offset, target);

        public void Write(ReadOnlySpan<byte> bytes, long offset) => file.Write(offset, bytes);

        public void Truncate(long length) => file.Truncate(length);

        public void Sync() => file.Sync();

        public void Dispose() { }
    }
}
