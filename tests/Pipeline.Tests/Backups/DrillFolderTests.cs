using System.Diagnostics;
using System.Security.Cryptography;
using Pipeline.Backups.Drills;
using Pipeline.Backups.Running;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Tests.Backups;

/// <summary>
/// A drill restores a database into a scratch folder. A drill that is killed leaves the folder, so its files are
/// private and encrypted.
/// </summary>
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
        var looks = new Looks(scratch);
        var report = Assert.Single(
            await BackupDrill.RunAsync(fixture.Definition, fixture.Database, fixture.Options, looks)
        );
        Assert.Null(report.Problem);
        Assert.Equal((50, 50), (report.Documents, report.Compared));
        Assert.True(looks.Bytes > 0, "the drill wrote nothing while it was looked at");
        Assert.Empty(looks.Open);
        Assert.False(looks.HasSecret, "the drill's files hold the text of documents");
        Assert.Empty(Directory.EnumerateFileSystemEntries(scratch));
    }

    /// <summary>Looks into the folder at each step of the restore.</summary>
    private sealed class Looks(string folder) : IProgress<BackupProgress>
    {
        public List<string> Open { get; } = [];

        public long Bytes { get; private set; }

        public bool HasSecret { get; private set; }

        public void Report(BackupProgress value)
        {
            foreach (var entry in new DirectoryInfo(folder).EnumerateFileSystemInfos("*", SearchOption.AllDirectories))
            {
                if (entry.UnixFileMode != (entry is DirectoryInfo ? OfFolder : OfFile))
                    Open.Add($"{entry.FullName}: {entry.UnixFileMode}");
                Bytes += entry is FileInfo file ? file.Length : 0;
            }

            // The restore holds locks that .NET's own readers would respect.
            using var search = Process.Start("grep", ["-raqF", Secret, folder]);
            search.WaitForExit();
            HasSecret |= search.ExitCode == 0;
        }
    }
}
