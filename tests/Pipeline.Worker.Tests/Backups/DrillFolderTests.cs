using System.Diagnostics;
using System.Security.Cryptography;
using System.Text;
using Pipeline.Backups.Drills;
using Pipeline.Backups.Running;
using Pipeline.EtlKit.Backups;
using Pipeline.Storage;
using Pipeline.TestKit.Files;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Terminal;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests.Backups;

/// <summary>
/// A drill restores a database into a scratch folder, and so does a restore that takes out documents. If it is killed,
/// it leaves the folder, so its files are private and encrypted.
/// </summary>
[Collection(nameof(RestoreCommandGroup))]
public sealed class DrillFolderTests
{
    private const string Secret = "zq7-secret-of-a-document";
    private const UnixFileMode OfFile = UnixFileMode.UserRead | UnixFileMode.UserWrite,
        OfFolder = OfFile | UnixFileMode.UserExecute;

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_folder_of_a_drill_is_private_holds_no_plain_text_and_is_removed(bool isEncrypted)
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no modes.");
        var encryption = isEncrypted ? new StorageEncryption { Key = RandomNumberGenerator.GetBytes(32) } : null;
        await using var fixture = new BackupFixture(new StorageOptions { Encryption = encryption });
        var scratch = Directory.CreateDirectory(fixture["scratch"]).FullName;
        fixture.Options = fixture.Options with { ScratchFolder = scratch };
        for (var i = 0; i < 50; i++)
            await fixture.PutAsync($"things/{i}", Secret + i);
        await fixture.BackUpAsync();
        var looks = new Looks(scratch, "*");
        var report = Assert.Single(
            await BackupDrill.RunAsync(fixture.Definition, fixture.Database, fixture.Options, looks)
        );
        Assert.Null(report.Problem);
        Assert.Equal((50, 50), (report.Documents, report.Compared));
        looks.AssertPrivate();
        Assert.Empty(Directory.EnumerateFileSystemEntries(scratch));
    }

    [SkippableFact]
    public async Task The_folder_of_a_restored_collection_is_private_holds_no_plain_text_and_is_removed()
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no modes.");
        using var folder = new TestFolder();
        folder.Write("a.key", new string('a', 64));
        var config = folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data, encryption: { keyFile: a.key } }
            backups: [{ name: nightly, to: { folder: ./bak }, encryption: { keyFile: a.key } }]
            """
        );
        var lines = Enumerable
            .Range(0, 50)
            .Select(i => $$"""{"Text":"{{Secret}}","@metadata":{"@id":"things/{{i}}","@collection":"Things"} }""");
        var file = folder.Write("things.jsonl", string.Join('\n', lines));
        Assert.Equal("", (await WorkerRun.InvokeAsync("import", file, "--config", config)).Error);
        Assert.Equal("", (await WorkerRun.InvokeAsync("backup", "run", "nightly", "--config", config)).Error);

        var looks = new Looks(Path.GetTempPath(), "pipeline-restore-*");
        await using var output = new LookingStream(looks);
        var console = new WorkerConsole(TextWriter.Null, TextWriter.Null, output);
        string[] restore = ["restore", "nightly", "--config", config, "--collection", "Things"];
        Assert.Equal(0, await new PipelineCommandLine(console, TimeProvider.System).InvokeAsync(restore, default));
        Assert.Equal(50, Encoding.UTF8.GetString(output.ToArray()).Split(Secret).Length - 1);
        looks.AssertPrivate();
        Assert.Empty(Directory.EnumerateDirectories(Path.GetTempPath(), "pipeline-restore-*"));
    }

    /// <summary>Looks into the folders while they are in use.</summary>
    private sealed class Looks(string parent, string pattern) : IProgress<BackupProgress>
    {
        private readonly List<string> _open = [];
        private long _bytes;
        private bool _hasSecret;

        public void Report(BackupProgress value) => Look();

        public void Look()
        {
            foreach (var folder in new DirectoryInfo(parent).EnumerateDirectories(pattern))
            {
                Add(folder);
                foreach (var entry in folder.EnumerateFileSystemInfos("*", SearchOption.AllDirectories))
                    Add(entry);

                // The restore holds locks that .NET's own readers would respect.
                using var search = Process.Start("grep", ["-raqF", Secret, folder.FullName]);
                search.WaitForExit();
                _hasSecret |= search.ExitCode == 0;
            }
        }

        public void AssertPrivate()
        {
            Assert.True(_bytes > 0, "nothing was written while it was looked at");
            Assert.Empty(_open);
            Assert.False(_hasSecret, "the scratch files hold the text of documents");
        }

        private void Add(FileSystemInfo entry)
        {
            if (entry.UnixFileMode != (entry is DirectoryInfo ? OfFolder : OfFile))
                _open.Add($"{entry.FullName}: {entry.UnixFileMode}");
            _bytes += entry is FileInfo file ? file.Length : 0;
        }
    }

    /// <summary>Looks at the folder before each write.</summary>
    private sealed class LookingStream(Looks looks) : MemoryStream
    {
        public override void Write(byte[] buffer, int offset, int count)
        {
            looks.Look();
            base.Write(buffer, offset, count);
        }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            looks.Look();
            return base.WriteAsync(buffer, cancellationToken);
        }
    }
}

/// <summary>Tests that look at the scratch folders of restores, or make some. They run one after the other.</summary>
[CollectionDefinition(nameof(RestoreCommandGroup))]
public sealed class RestoreCommandGroup;
