using Pipeline.Documents.Events;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>
/// What the program writes of a database is for its owner alone: 0600 for files, 0700 for folders, whatever the umask
/// is.
/// </summary>
public sealed class PrivateFileTests : IDisposable
{
    private const UnixFileMode OfFile = UnixFileMode.UserRead | UnixFileMode.UserWrite,
        OfFolder = OfFile | UnixFileMode.UserExecute;
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [SkippableFact]
    public async Task Data_backups_exports_staging_and_stream_keys_are_private()
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no modes.");
        var documents = _folder.Write(
            "documents.jsonl",
            """{"A":1,"@metadata":{"@id":"as/1","@collection":"As"}}""" + "\n"
        );
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: a, path: made/above/data, journalPath: made/journal }
            indexes: [{ name: I, maps: ["from a in docs.As select new { a.A }"] }]
            connections: { c: { files: { directory: ./out } } }
            etl: [{ name: t, from: [As], to: c, transform: 'send("x", doc);' }]
            backups: [{ name: b, to: [{ folder: made/backups }], stagingFolder: made/staging }]
            """
        );
        await RunAsync("import", "--config", file, documents);
        await RunAsync("run", "--config", file, "--once");
        await RunAsync("backup", "run", "b", "--config", file);
        await RunAsync("export", "--config", file, "--output", Path.Combine(_folder["made"], "export.jsonl"));
        await RunAsync("restore", "b", "--config", file, "--to", Path.Combine(_folder["made"], "restored"));
        _ = new FolderStreamKeys(Path.Combine(_folder["made"], "keys")).GetOrCreate("s");
        var all = new DirectoryInfo(_folder["made"])
            .EnumerateFileSystemInfos("*", SearchOption.AllDirectories)
            .Prepend(new DirectoryInfo(_folder["made"]))
            .ToList();
        foreach (var name in new[] { "pipeline.data", "export.jsonl", "repository.json" })
            Assert.Contains(all, f => f.Name == name);
        string[] open =
        [
            .. all.Where(f => f.UnixFileMode != (f is DirectoryInfo ? OfFolder : OfFile))
                .Select(f => $"{f.FullName}: {f.UnixFileMode}"),
        ];
        Assert.True(open.Length == 0, string.Join('\n', open));
    }

    private static async Task RunAsync(params string[] arguments)
    {
        var run = await WorkerRun.InvokeAsync(arguments);
        Assert.True(run.ExitCode == ExitCodes.Success, $"{string.Join(' ', arguments)}: {run.Out}{run.Error}");
    }
}
