namespace Pipeline.Akka.Tests;

/// <summary>Folders of this run, which go with the process.</summary>
internal static class TestFolders
{
    private static readonly string Root = Directory.CreateTempSubdirectory("pipeline-akka-").FullName;
    private static int _made;

    static TestFolders() => AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(Root, recursive: true);

    internal static string Make() =>
        Directory.CreateDirectory(Path.Combine(Root, $"{Interlocked.Increment(ref _made)}")).FullName;
}
