using System.Text;
using Pipeline.Cluster;
using Xunit;

namespace Pipeline.TestKit.Cluster;

/// <summary>What every log keeps. A test class of each implementation runs these.</summary>
public abstract class SharedLogContract : IAsyncLifetime
{
    private ISharedLog _log = null!;

    /// <summary>Opens the log once more: another instance over the same records.</summary>
    protected abstract Task<ISharedLog> OpenAsync(int maxRecordBytes);

    /// <summary>How many bytes the log adds to a record.</summary>
    protected virtual int ExtraBytes => 0;

    public virtual async Task InitializeAsync() => _log = await OpenAsync(1000);

    public virtual async Task DisposeAsync() => await _log.DisposeAsync();

    [SkippableFact]
    public async Task A_new_log_is_empty_and_begins_at_0()
    {
        Assert.Equal(new LogBounds(0, 0), await _log.GetBoundsAsync());
        var batch = await ReadAsync(0);
        Assert.Empty(batch.Records);
        Assert.Equal(0, batch.End);
    }

    [SkippableFact]
    public async Task Records_get_consecutive_places_and_come_back_as_they_were()
    {
        for (var i = 0; i < 20; i++)
            Assert.Equal(AppendAnswer.At(i), await AppendAsync($"record {i}", i));
        Assert.Equal(new LogBounds(0, 20), await _log.GetBoundsAsync());
        var batch = await ReadAsync(7);
        Assert.Equal(20, batch.Next);
        Assert.Equal(Enumerable.Range(7, 13).Select(i => $"record {i}"), batch.Records.Select(Text));
    }

    [SkippableFact]
    public async Task A_record_for_a_place_that_is_taken_takes_no_other_records_place()
    {
        await AppendAsync("first", 0);
        var answer = await AppendAsync("second", 0);
        var all = (await ReadAsync(0)).Records.Select(Text).ToList();
        Assert.Equal("first", all[0]);
        if (answer.Outcome == AppendOutcome.Moved)
            Assert.Single(all);
        else
            Assert.Equal((AppendAnswer.At(1), "second"), (answer, all[1]));
    }

    [SkippableFact]
    public async Task Appends_of_one_instance_keep_the_order_of_the_calls()
    {
        var answers = new List<Task<AppendAnswer>>();
        for (var i = 0; i < 200; i++)
            answers.Add(AppendAsync($"{i}", i));
        for (var i = 0; i < 200; i++)
            Assert.Equal(AppendAnswer.At(i), await answers[i]);
        Assert.Equal(Enumerable.Range(0, 200).Select(i => $"{i}"), (await ReadAsync(0)).Records.Select(Text));
    }

    [SkippableFact]
    public async Task Several_instances_share_one_order()
    {
        await using var other = await OpenAsync(1000);
        var (mine, theirs) = (
            Enumerable.Range(0, 30).Select(i => $"a{i}").ToList(),
            Enumerable.Range(0, 30).Select(i => $"b{i}").ToList()
        );
        await Task.WhenAll(AppendAllAsync(_log, mine), AppendAllAsync(other, theirs));
        var read = (await ReadAsync(0)).Records.Select(Text).ToList();
        Assert.Equal(read, (await ReadAsync(other, 0)).Records.Select(Text));
        Assert.Equal(mine, read.Where(r => r[0] == 'a'));
        Assert.Equal(theirs, read.Where(r => r[0] == 'b'));
        Assert.Equal(60, read.Count);
    }

    [SkippableFact]
    public async Task A_read_returns_at_least_one_record_and_about_as_many_bytes_as_asked_for()
    {
        for (var i = 0; i < 10; i++)
            await AppendAsync(new string('x', 100), i);
        // From here on a log that reads ahead has buffered them all.
        Assert.Equal(10, (await ReadAsync(0)).Records.Count);
        Assert.Single((await _log.ReadAsync(0, 1, TimeSpan.Zero)).Records);
        Assert.Equal(3, (await _log.ReadAsync(2, 3 * (100 + ExtraBytes), TimeSpan.Zero)).Records.Count);
    }

    [SkippableFact]
    public async Task A_waiting_read_gets_the_next_record()
    {
        var read = _log.ReadAsync(0, 1000, TimeSpan.FromMinutes(1)).AsTask();
        await AppendAsync("new", 0);
        Assert.Equal("new", Text(Assert.Single((await read).Records)));
    }

    [SkippableFact]
    public async Task A_waiting_read_can_be_cancelled()
    {
        using var stop = new CancellationTokenSource();
        var read = _log.ReadAsync(0, 1000, TimeSpan.FromMinutes(1), stop.Token).AsTask();
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read);
    }

    [SkippableFact]
    public async Task A_cancelled_append_is_unknown()
    {
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        var answer = await _log.AppendAsync(Encoding.UTF8.GetBytes("x"), 0, stop.Token);
        // The append may have been quicker than the token.
        Assert.Contains(answer.Outcome, new[] { AppendOutcome.Unknown, AppendOutcome.At });
    }

    [SkippableTheory]
    [InlineData(0)]
    [InlineData(1001)]
    public async Task Records_have_a_size_limit(int bytes)
    {
        var refused = await Assert.ThrowsAsync<RecordTooLargeException>(async () =>
            await _log.AppendAsync(new byte[bytes], 0)
        );
        Assert.Equal((bytes, 1000), (refused.Bytes, refused.Limit));
        Assert.Equal(0, (await _log.GetBoundsAsync()).End);
        Assert.Equal(AppendAnswer.At(0), await _log.AppendAsync(new byte[1000], 0));
    }

    [SkippableFact]
    public async Task Trimmed_records_are_refused_by_place_and_the_others_stay()
    {
        for (var i = 0; i < 40; i++)
            await AppendAsync($"record {i} {new string('x', 200)}", i);
        await _log.TrimAsync(25);
        await _log.TrimAsync(3);
        Assert.Equal(new LogBounds(25, 40), await _log.GetBoundsAsync());
        var refused = await Assert.ThrowsAsync<LogTrimmedException>(async () => await ReadAsync(24));
        Assert.Equal((24, 25), (refused.Place, refused.First));
        Assert.StartsWith("record 25", Text((await ReadAsync(25)).Records[0]), StringComparison.Ordinal);
        Assert.Equal(AppendAnswer.At(40), await AppendAsync("next", 40));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(async () => await _log.TrimAsync(42));
    }

    [SkippableFact]
    public async Task A_log_that_is_trimmed_to_its_end_goes_on_from_there()
    {
        await AppendAsync("only", 0);
        await _log.TrimAsync(1);
        Assert.Empty((await ReadAsync(1)).Records);
        Assert.Equal(AppendAnswer.At(1), await AppendAsync("next", 1));
        Assert.Equal("next", Text((await ReadAsync(1)).Records[0]));
    }

    [SkippableFact]
    public async Task A_place_behind_the_end_is_refused()
    {
        await AppendAsync("only", 0);
        var refused = await Assert.ThrowsAsync<LogTruncatedException>(async () => await ReadAsync(2));
        Assert.Equal((2, 1), (refused.Place, refused.End));
    }

    protected static string Text(ReadOnlyMemory<byte> record) => Encoding.UTF8.GetString(record.Span);

    /// <summary>Appends each record exactly once, wherever the end is.</summary>
    private static async Task AppendAllAsync(ISharedLog log, List<string> records)
    {
        foreach (var record in records)
        {
            AppendAnswer answer;
            do answer = await log.AppendAsync(Encoding.UTF8.GetBytes(record), (await log.GetBoundsAsync()).End);
            while (answer.Outcome == AppendOutcome.Moved);
            Assert.Equal(AppendOutcome.At, answer.Outcome);
        }
    }

    private Task<AppendAnswer> AppendAsync(string record, long expected) =>
        _log.AppendAsync(Encoding.UTF8.GetBytes(record), expected).AsTask();

    private Task<LogBatch> ReadAsync(long from) => ReadAsync(_log, from);

    /// <summary>Reads to the end: one read promises one record only.</summary>
    private static async Task<LogBatch> ReadAsync(ISharedLog log, long from)
    {
        var end = (await log.GetBoundsAsync()).End;
        var read = await log.ReadAsync(from, int.MaxValue, TimeSpan.Zero);
        var records = read.Records.ToList();
        while (from + records.Count < end)
        {
            read = await log.ReadAsync(from + records.Count, int.MaxValue, TimeSpan.Zero);
            records.AddRange(read.Records);
        }
        return new LogBatch(from, records, read.End);
    }
}
