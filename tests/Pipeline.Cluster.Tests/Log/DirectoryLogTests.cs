using System.Globalization;
using System.Text;
using Pipeline.TestKit.Cluster;
using Xunit;

namespace Pipeline.Cluster.Tests.Log;

/// <summary>
/// The directory log keeps the contract over small files, repairs the files of a dead process, and refuses unsuitable
/// folders.
/// </summary>
public sealed class DirectoryLogTests : SharedLogContract
{
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-log-").FullName;

    protected override async Task<ISharedLog> OpenAsync(int maxRecordBytes) =>
        await DirectoryLog.OpenAsync(_folder, Small(maxRecordBytes));

    public override async Task DisposeAsync()
    {
        await base.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task Trimming_removes_files()
    {
        await using var log = await DirectoryLog.OpenAsync(_folder, Small(1000));
        for (var i = 0; i < 50; i++)
            await log.AppendAsync(new byte[500], i);
        var before = Directory.GetFiles(_folder, "*.log").Length;
        await log.TrimAsync(40);
        Assert.True(
            before >= 10 && Directory.GetFiles(_folder, "*.log").Length <= 3,
            $"{before} files, then {Directory.GetFiles(_folder, "*.log").Length}"
        );
    }

    [Theory]
    [InlineData(nameof(DirectoryLogStep.Locked), 3)]
    [InlineData(nameof(DirectoryLogStep.Half), 3)]
    [InlineData(nameof(DirectoryLogStep.Written), 3)]
    [InlineData(nameof(DirectoryLogStep.Synced), 3)]
    [InlineData(nameof(DirectoryLogStep.Published), 4)]
    public async Task An_error_at_a_step_is_an_unknown_answer_and_the_log_goes_on(string step, int kept)
    {
        var fails = false;
        await using var log = await DirectoryLog.OpenAsync(
            _folder,
            new DirectoryLogOptions
            {
                AtStep = s =>
                {
                    if (fails && s.ToString() == step)
                        throw new IOException("planted");
                },
            }
        );
        for (var i = 0; i < 3; i++)
            await log.AppendAsync(new byte[] { 1, 2, 3 }, i);
        fails = true;
        var answer = await log.AppendAsync(new byte[] { 4, 5, 6 }, 3);
        Assert.Equal((AppendOutcome.Unknown, "planted"), (answer.Outcome, answer.Cause?.Message));
        fails = false;
        Assert.Equal(kept, (await log.GetBoundsAsync()).End);
        Assert.Equal(AppendAnswer.At(kept), await log.AppendAsync(new byte[] { 7 }, kept));
        Assert.Equal(7, (await log.ReadAsync(kept, 1, TimeSpan.Zero)).Records[0].Span[0]);
    }

    [Fact]
    public async Task A_torn_tail_is_cut_at_every_length()
    {
        await FillAsync(3);
        var file = Directory.GetFiles(_folder, "*.log").Single();
        var whole = await File.ReadAllBytesAsync(file);
        var frame = Frame.Build(3, 3, "torn"u8);
        for (var length = 1; length < frame.Length; length++)
        {
            await File.WriteAllBytesAsync(file, [.. whole, .. frame.AsSpan(0, length)]);
            await using var log = await DirectoryLog.OpenAsync(_folder);
            Assert.Equal(3, (await log.GetBoundsAsync()).End);
            Assert.Equal(whole.Length, new FileInfo(file).Length);
        }
        await File.WriteAllBytesAsync(file, [.. whole, .. frame]);
        await using var with = await DirectoryLog.OpenAsync(_folder);
        Assert.Equal("torn", Text((await with.ReadAsync(3, 1, TimeSpan.Zero)).Records[0]));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_reader_publishes_the_record_of_a_process_that_ended_before_it_did(bool inNewFile)
    {
        await FillAsync(3);
        await using var log = await DirectoryLog.OpenAsync(_folder);
        var frame = Frame.Build(3, 3, "left"u8);
        if (inNewFile)
        {
            var next = Path.Combine(_folder, 3.ToString("d20", CultureInfo.InvariantCulture) + ".log");
            await File.WriteAllBytesAsync(next, [.. "PIPESEG1"u8, .. frame]);
        }
        else
        {
            await using var file = File.Open(Directory.GetFiles(_folder, "*.log").Single(), FileMode.Append);
            await file.WriteAsync(frame);
        }
        Assert.Empty((await log.ReadAsync(3, 1, TimeSpan.Zero)).Records);
        Assert.Equal("left", Text((await log.ReadAsync(3, 1, TimeSpan.FromMinutes(1))).Records[0]));
        Assert.Equal(4, (await log.GetBoundsAsync()).End);
    }

    [Fact]
    public async Task An_end_that_was_lost_or_is_old_is_found_again()
    {
        await FillAsync(5);
        var old = await File.ReadAllBytesAsync(Path.Combine(_folder, "end"));
        await FillAsync(30);
        foreach (var end in new[] { null, old, [], new byte[36] })
        {
            if (end is null)
                File.Delete(Path.Combine(_folder, "end"));
            else
                await File.WriteAllBytesAsync(Path.Combine(_folder, "end"), end);
            await using var log = await DirectoryLog.OpenAsync(_folder, Small(1000));
            Assert.Equal(new LogBounds(0, 35), await log.GetBoundsAsync());
            Assert.Equal(35, (await log.ReadAsync(0, int.MaxValue, TimeSpan.Zero)).Records.Count);
        }
    }

    [Fact]
    public async Task A_damaged_record_is_named_and_never_returned_or_cut()
    {
        await FillAsync(5);
        var file = Directory.GetFiles(_folder, "*.log").Single();
        var bytes = await File.ReadAllBytesAsync(file);
        for (var at = 8; at < bytes.Length; at++)
        {
            var damaged = bytes.ToArray();
            damaged[at] ^= 1;
            await File.WriteAllBytesAsync(file, damaged);
            await using var log = await DirectoryLog.OpenAsync(_folder);
            var found = await Assert.ThrowsAsync<LogDamagedException>(async () =>
                await log.ReadAsync(0, int.MaxValue, TimeSpan.Zero)
            );
            Assert.Equal((at - 8) / ((bytes.Length - 8) / 5), found.Place);
        }

        // Without the end it looks like a torn tail, but for the records behind it.
        File.Delete(Path.Combine(_folder, "end"));
        bytes[20] ^= 1;
        await File.WriteAllBytesAsync(file, bytes);
        var refused = await Assert.ThrowsAsync<LogDamagedException>(() => DirectoryLog.OpenAsync(_folder));
        Assert.Equal(0, refused.Place);
        Assert.Equal(bytes.Length, new FileInfo(file).Length);
        bytes[20] ^= 1;
        await File.WriteAllBytesAsync(file, bytes);
    }

    [Fact]
    public async Task What_it_is_not_for_is_refused()
    {
        await FillAsync(1);
        var elsewhere = await Assert.ThrowsAsync<DirectoryLogRefusedException>(() =>
            DirectoryLog.OpenAsync(_folder, new DirectoryLogOptions { Machine = "another" })
        );
        Assert.Contains("another machine", elsewhere.Message, StringComparison.Ordinal);
        foreach (var type in new[] { "nfs", "cifs", "9p", "fuse", "ceph" })
        {
            var shared = await Assert.ThrowsAsync<DirectoryLogRefusedException>(() =>
                DirectoryLog.OpenAsync(_folder, new DirectoryLogOptions { FileSystem = _ => type })
            );
            Assert.Contains(type, shared.Message, StringComparison.Ordinal);
        }

        var full = Directory.CreateTempSubdirectory("pipeline-log-").FullName;
        await File.WriteAllTextAsync(Path.Combine(full, "letter.txt"), "x");
        var foreign = await Assert.ThrowsAsync<DirectoryLogRefusedException>(() => DirectoryLog.OpenAsync(full));
        Assert.Contains("not empty", foreign.Message, StringComparison.Ordinal);
        Assert.Equal(["letter.txt"], Directory.GetFiles(full).Select(Path.GetFileName));
        Directory.Delete(full, recursive: true);
    }

    [Fact]
    public async Task A_folder_is_completed_whose_creator_ended_before_it_was_a_log()
    {
        var begun = Directory.CreateDirectory(Path.Combine(_folder, "begun")).FullName;
        await File.WriteAllTextAsync(Path.Combine(begun, "append.lock"), "");
        await File.WriteAllTextAsync(Path.Combine(begun, "append.lock.new"), "Pipe");
        await using var log = await DirectoryLog.OpenAsync(begun);
        Assert.Equal(AppendAnswer.At(0), await log.AppendAsync(new byte[] { 1 }, 0));
        Assert.False(File.Exists(Path.Combine(begun, "append.lock.new")));
    }

    [Fact]
    public async Task Many_that_create_it_at_once_share_one_log()
    {
        for (var round = 0; round < 50; round++)
        {
            var folder = Path.Combine(_folder, $"{round}");
            var logs = await Task.WhenAll(
                Enumerable.Range(0, 4).Select(_ => Task.Run(() => DirectoryLog.OpenAsync(folder)))
            );
            await logs[0].AppendAsync(new byte[] { 9 }, 0);
            foreach (var log in logs)
            {
                Assert.Equal(9, (await log.ReadAsync(0, 1, TimeSpan.Zero)).Records.Single().Span[0]);
                await log.DisposeAsync();
            }
        }
    }

    [Fact]
    public async Task A_lock_that_is_held_for_too_long_makes_the_answer_unknown()
    {
        await using var log = await DirectoryLog.OpenAsync(
            _folder,
            new DirectoryLogOptions { LockTimeout = TimeSpan.FromMilliseconds(30) }
        );
        using (
            File.OpenHandle(Path.Combine(_folder, "append.lock"), FileMode.Open, FileAccess.ReadWrite, FileShare.None)
        )
        {
            var answer = await log.AppendAsync(new byte[] { 1 }, 0);
            Assert.Contains("was locked by another process", answer.Cause!.Message, StringComparison.Ordinal);
        }
        Assert.Equal(AppendAnswer.At(0), await log.AppendAsync(new byte[] { 1 }, 0));
    }

    private static DirectoryLogOptions Small(int maxRecordBytes) =>
        new() { MaxRecordBytes = maxRecordBytes, SegmentBytes = 2000 };

    private async Task FillAsync(int records)
    {
        await using var log = await DirectoryLog.OpenAsync(_folder, new DirectoryLogOptions { SegmentBytes = 1000 });
        for (var i = 0; i < records; i++)
            await log.AppendAsync(Encoding.UTF8.GetBytes("a record"), (await log.GetBoundsAsync()).End);
    }
}
