using System.Text;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.CrashTests.Storage;

public sealed class FailureTests
{
    private static Task<bool> PutAsync(StorageEnvironment environment, int i, int length = 200) =>
        environment.WriteAsync(t => t.CreateTree("t").Put(Encoding.UTF8.GetBytes($"{i:d5}"), new byte[length]));

    [Theory]
    [InlineData(DiskEventKind.Sync, ".journal", "journal sync")]
    [InlineData(DiskEventKind.Write, ".journal", "journal write")]
    [InlineData(DiskEventKind.Sync, ".data", "data sync")]
    [InlineData(DiskEventKind.Write, ".data", "data write")]
    public async Task After_a_failed_write_or_sync_writes_are_refused_and_reads_go_on(
        DiskEventKind kind,
        string file,
        string step
    )
    {
        var disk = new SimulatedDisk();
        var environment = StorageEnvironment.Open(CrashWorkload.Options(disk, StorageFaults.None));
        for (var i = 0; i < 10; i++)
            await PutAsync(environment, i);
        var failing = 0;
        disk.Fault = e =>
            e.Kind == kind && e.Path!.EndsWith(file, StringComparison.Ordinal) && ++failing == 1
                ? new IOException("the disk says no")
                : null;
        var error =
            file == ".data"
                ? Assert.Throws<StorageFailedException>(environment.Flush)
                : await Assert.ThrowsAsync<StorageFailedException>(() => PutAsync(environment, 10));
        Assert.Equal(step, error.Operation);
        Assert.Contains("the disk says no", error.Message, StringComparison.Ordinal);
        Assert.Same(error, await Assert.ThrowsAsync<StorageFailedException>(() => PutAsync(environment, 11)));
        Assert.Throws<StorageFailedException>(environment.Flush);
        Assert.Same(error, environment.GetStatistics().Failure);
        using (var read = environment.BeginRead())
            Assert.Equal(10, read.OpenTree("t").Count);
        environment.Dispose();
        Assert.Equal(1, failing);

        disk.Fault = null;
        using var again = StorageEnvironment.Open(CrashWorkload.Options(disk, StorageFaults.None));
        using var after = again.BeginRead();
        Assert.InRange(after.OpenTree("t").Count, 10, 11);
        Assert.True(StorageChecker.Check(again).IsSound);
        await PutAsync(again, 12);
    }

    [Theory]
    [InlineData(200)]
    [InlineData(9000)]
    public async Task A_full_disk_refuses_writes_until_there_is_room_again(int length)
    {
        var disk = new SimulatedDisk();
        using var environment = StorageEnvironment.Open(CrashWorkload.Options(disk, StorageFaults.None));
        disk.FreeBytes = 200 << 10;
        var written = 0;
        var error = await Assert.ThrowsAsync<DiskFullException>(async () =>
        {
            for (; written < 20000; written++)
                await PutAsync(environment, written, length);
        });
        Assert.True(error.NeededBytes > 0);
        Assert.True(written > 5, $"only {written} were written");
        Assert.Null(environment.Failure);
        using (var read = environment.BeginRead())
            Assert.Equal(written, read.OpenTree("t").Count);
        await Assert.ThrowsAsync<DiskFullException>(async () =>
        {
            for (var i = 0; i < 1000; i++)
                await PutAsync(environment, 90000 + i, 60000);
        });
        disk.FreeBytes = long.MaxValue;
        await PutAsync(environment, 80000, 60000);
        environment.Flush();
        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Space_that_was_given_back_is_reserved_before_it_is_used_again(bool planted)
    {
        var disk = new SimulatedDisk(record: false);
        var options = CrashWorkload.Options(disk, planted ? StorageFaults.UseHolesUnreserved : StorageFaults.None);
        using var environment = StorageEnvironment.Open(
            options with
            {
                MaxJournalFileBytes = 8 << 20,
                InitialJournalFileBytes = 8 << 20,
            }
        );
        for (var i = 0; i < 100; i++)
            await PutAsync(environment, i, 30000);
        environment.Flush();
        await environment.WriteAsync(t => t.DropTree("t"));
        environment.Flush();
        Assert.True(environment.GetStatistics().PunchedBytes > 2 << 20);

        // Another program takes the released space.
        disk.FreeBytes = 40 << 10;
        var written = 0;
        var error = await Record.ExceptionAsync(async () =>
        {
            for (; written < 100; written++)
            {
                await PutAsync(environment, written, 30000);
                environment.Flush();
            }
        });
        Assert.Equal(planted, environment.Failure is not null);
        if (planted)
            return;
        Assert.IsType<DiskFullException>(error);
        disk.FreeBytes = long.MaxValue;
        await PutAsync(environment, written, 30000);
        environment.Flush();
        using (var read = environment.BeginRead())
            Assert.Equal(written + 1, read.OpenTree("t").Count);
        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    [Fact]
    public async Task Journal_files_that_cannot_be_deleted_harm_nothing()
    {
        var disk = new SimulatedDisk();
        var options = CrashWorkload.Options(disk, StorageFaults.None) with { FlushJournalBytes = 32 << 10 };
        var environment = StorageEnvironment.Open(options);
        disk.Fault = e => e.Kind == DiskEventKind.Delete ? new IOException("cannot delete") : null;
        for (var i = 0; i < 60; i++)
        {
            await PutAsync(environment, i, 9000);
            if (i % 10 == 0)
                environment.Flush();
        }
        Assert.Null(environment.Failure);
        environment.Dispose();
        disk.Fault = null;
        using var again = StorageEnvironment.Open(options);
        using var read = again.BeginRead();
        Assert.Equal(60, read.OpenTree("t").Count);
        Assert.True(StorageChecker.Check(again).IsSound);
    }

    [Fact]
    public async Task A_reader_that_holds_too_much_back_makes_writes_fail_until_it_ends()
    {
        var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(
            CrashWorkload.Options(disk, StorageFaults.None) with
            {
                MaxScratchBytes = 2 << 20,
            }
        );
        await PutAsync(environment, 0);
        var reader = environment.BeginRead();
        var error = await Assert.ThrowsAsync<ScratchFullException>(async () =>
        {
            for (var i = 1; i < 2000; i++)
                await PutAsync(environment, i, 9000);
        });
        Assert.Equal(reader.Id, error.ReaderTransaction);
        reader.Dispose();
        await PutAsync(environment, 5000);
        Assert.True(environment.GetStatistics().ScratchBytes < 2 << 20);
    }
}
