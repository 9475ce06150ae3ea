namespace Pipeline.Tests.Storage;

/// <summary>A new folder, deleted at the end.</summary>
internal sealed class TempFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("pipeline-test-").FullName;

    public void Dispose() => Directory.Delete(Path, recursive: true);

    public override string ToString() => Path;
}
