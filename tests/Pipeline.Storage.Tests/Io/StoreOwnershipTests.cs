using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Storage.Tests.Io;

/// <summary>
/// A store locks others out of its data file and its journal, even if they share a folder or a lock file was removed.
/// </summary>
public sealed partial class StoreOwnershipTests
{
    private static StorageOptions Options(string path, string? journal = null) =>
        new()
        {
            Path = path,
            JournalPath = journal,
            MaxDataFileBytes = 1 << 30,
            FlushInterval = TimeSpan.FromHours(10),
        };

    private static Task<bool> PutAsync(StorageEnvironment environment, int i) =>
        environment.WriteAsync(t => t.CreateTree("t").Put(Encoding.UTF8.GetBytes($"{i:d5}"), new byte[100]));

    [SkippableFact]
    public async Task A_store_is_not_opened_twice_though_its_lock_file_was_removed()
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows removes no file that is open.");
        using var folder = new TestFolder();
        using var environment = StorageEnvironment.Open(Options(folder.Path));
        await PutAsync(environment, 1);
        File.Delete(Path.Combine(folder.Path, "pipeline.lock"));
        File.Delete(Path.Combine(folder.Path, "journal", "journal.lock"));
        var error = Assert.Throws<StoreInUseException>(() => StorageEnvironment.Open(Options(folder.Path)));
        Assert.Contains("pipeline.data", error.Message, StringComparison.Ordinal);
        Assert.Throws<StoreInUseException>(() => OfflineStore.Open(Options(folder.Path)));
        await PutAsync(environment, 2);
    }

    /// <summary>As on macOS, where a data file cannot be locked.</summary>
    [SkippableFact]
    public async Task A_store_whose_lock_file_was_taken_over_writes_no_more()
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows removes no file that is open.");
        using var folder = new TestFolder();
        var options = Options(folder.Path) with { Files = new NativeStorageFiles(locksData: false) };
        using var environment = StorageEnvironment.Open(options);
        await PutAsync(environment, 1);
        foreach (var file in LockFiles(folder.Path))
            File.Delete(file);
        environment.Flush();
        Assert.All(LockFiles(folder.Path), file => Assert.True(File.Exists(file)));
        Assert.Throws<StoreInUseException>(() => StorageEnvironment.Open(options));
        await PutAsync(environment, 2);
        environment.Flush();

        foreach (var file in LockFiles(folder.Path))
            File.Delete(file);
        using var other = StorageEnvironment.Open(options);
        var error = Assert.Throws<StorageFailedException>(() => environment.Flush());
        Assert.IsType<StoreInUseException>(error.InnerException);
        Assert.Contains(
            Environment.ProcessId.ToString(System.Globalization.CultureInfo.InvariantCulture),
            error.Message,
            StringComparison.Ordinal
        );
        await Assert.ThrowsAsync<StorageFailedException>(() => PutAsync(environment, 3));
        await PutAsync(other, 4);
        other.Flush();
    }

    /// <summary>A process that is started has all open files of its parent until it runs another program.</summary>
    [SkippableFact]
    public async Task A_closed_store_can_be_opened_while_a_process_is_being_started()
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows copies no handles into a process that starts.");
        using var folder = new TestFolder();
        var copies = new List<SafeFileHandle>();
        try
        {
            using (var environment = StorageEnvironment.Open(Options(folder.Path)))
            {
                await PutAsync(environment, 1);
                foreach (var file in new DirectoryInfo("/proc/self/fd").GetFiles())
                {
                    if (file.LinkTarget?.StartsWith(folder.Path, StringComparison.Ordinal) == true)
                    {
                        copies.Add(
                            new SafeFileHandle(
                                Duplicate(int.Parse(file.Name, System.Globalization.CultureInfo.InvariantCulture)),
                                ownsHandle: true
                            )
                        );
                    }
                }
            }
            Assert.True(copies.Count >= 3, $"{copies.Count} open files; the data file and two lock files at least");
            using var again = StorageEnvironment.Open(Options(folder.Path));
            await PutAsync(again, 2);
            Assert.Throws<StoreInUseException>(() => StorageEnvironment.Open(Options(folder.Path)));
        }
        finally
        {
            foreach (var copy in copies)
                copy.Dispose();
        }
    }

    /// <summary>Another descriptor of the same opening, as a child process has it.</summary>
    [LibraryImport("libc", EntryPoint = "dup")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Duplicate(int descriptor);

    private static string[] LockFiles(string folder) =>
        [Path.Combine(folder, "pipeline.lock"), Path.Combine(folder, "journal", "journal.lock")];

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_journal_folder_belongs_to_one_store(bool isOpen)
    {
        using var first = new TestFolder();
        using var second = new TestFolder();
        using var journal = new TestFolder();
        var environment = StorageEnvironment.Open(Options(first.Path, journal.Path));
        for (var i = 0; i < 200; i++)
            await PutAsync(environment, i);
        if (!isOpen)
            environment.Dispose();
        var files = Files(journal.Path);
        var error = Assert.Throws<ForeignJournalException>(() =>
            StorageEnvironment.Open(Options(second.Path, journal.Path))
        );
        Assert.Contains(first.Path, error.Message, StringComparison.Ordinal);
        Assert.Equal(files, Files(journal.Path));
        using (var other = StorageEnvironment.Open(Options(second.Path)))
            await PutAsync(other, 1);
        Assert.Throws<ForeignJournalException>(() =>
            new StoreRestore(Options(Path.Combine(second.Path, "restored"), journal.Path)).Dispose()
        );
        Assert.Equal(files, Files(journal.Path));
        environment.Dispose();
        using var again = StorageEnvironment.Open(Options(first.Path, journal.Path));
        using var read = again.BeginRead();
        Assert.Equal(200, read.OpenTree("t").Count);
    }

    [Fact]
    public async Task A_foreign_file_in_the_journal_folder_is_neither_used_nor_deleted()
    {
        using var first = new TestFolder();
        using var second = new TestFolder();
        using (var other = StorageEnvironment.Open(Options(second.Path)))
            await PutAsync(other, 1);
        using (var environment = StorageEnvironment.Open(Options(first.Path)))
            await PutAsync(environment, 1);
        var strange = Path.Combine(first.Path, "journal", "00000000000000ff.journal");
        File.Copy(Files(Path.Combine(second.Path, "journal"))[0], strange);
        var error = Assert.Throws<ForeignJournalException>(() => StorageEnvironment.Open(Options(first.Path)));
        Assert.Equal(strange, error.Path);
        Assert.Contains(second.Path, error.Owner, StringComparison.Ordinal);
        using (var offline = OfflineStore.Open(Options(first.Path)))
            Assert.Contains(offline.Problems, p => p.ToString().Contains(second.Path, StringComparison.Ordinal));
        File.Delete(strange);
        using var again = StorageEnvironment.Open(Options(first.Path));
        using var read = again.BeginRead();
        Assert.Equal(1, read.OpenTree("t").Count);
    }

    private static string[] Files(string journal) =>
        [.. Directory.GetFiles(journal, "*.journal").Order(StringComparer.Ordinal)];
}
