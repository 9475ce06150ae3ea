using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Storage.Tests.Statistics;

public sealed class ReaderStatisticsTests
{
    [Fact]
    public async Task A_reader_is_shown_with_its_owner_age_and_what_it_holds_back()
    {
        var time = new ManualTime();
        using var environment = StorageEnvironment.Open(new StorageOptions { TimeProvider = time });
        await environment.WriteAsync(t => t.CreateTree("t").Put("a"u8, new byte[100]));
        using var old = environment.BeginRead("report");
        for (var i = 0; i < 3; i++)
            await environment.WriteAsync(t => t.CreateTree("t").Put("a"u8, new byte[100]));
        time.Now += TimeSpan.FromSeconds(7);
        using var young = environment.BeginRead();

        var readers = environment.GetReaders();

        Assert.Equal(
            ["report", nameof(A_reader_is_shown_with_its_owner_age_and_what_it_holds_back)],
            readers.Select(r => r.Owner)
        );
        Assert.Equal(
            (old.Id, TimeSpan.FromSeconds(7), 3L),
            (readers[0].Transaction, readers[0].Age, readers[0].HeldTransactions)
        );
        Assert.InRange(readers[0].HeldBytes, 8192, 30 * 8192);
        Assert.Equal((0L, 0L, TimeSpan.Zero), (readers[1].HeldTransactions, readers[1].HeldBytes, readers[1].Age));
        Assert.Equal(readers, environment.GetStatistics().Readers);
        old.Dispose();
        Assert.Equal(young.Id, Assert.Single(environment.GetReaders()).Transaction);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_reader_over_its_limit_gets_an_error_and_others_do_not(bool age)
    {
        var time = new ManualTime();
        using var environment = StorageEnvironment.Open(
            new StorageOptions
            {
                TimeProvider = time,
                MaxReaderAge = age ? TimeSpan.FromSeconds(5) : null,
                MaxReaderHeldBytes = age ? null : 4096,
            }
        );
        await environment.WriteAsync(t => t.CreateTree("t").Put("a"u8, "1"u8));
        using var old = environment.BeginRead("export");
        await environment.WriteAsync(t => t.CreateTree("t").Put("a"u8, "2"u8));
        await environment.WriteAsync(t => t.CreateTree("t").Put("a"u8, "3"u8));
        time.Now += TimeSpan.FromSeconds(6);
        using var young = environment.BeginRead();

        environment.ExpireReaders();

        var error = Assert.Throws<ReaderExpiredException>(() => old.OpenTree("t").TryGet("a"u8, out _));
        Assert.Equal("export", error.Reader.Owner);
        Assert.Contains(age ? "MaxReaderAge" : "MaxReaderHeldBytes", error.Message);
        Assert.True(young.OpenTree("t").TryGet("a"u8, out var value));
        Assert.True(value.SequenceEqual("3"u8));
        old.Renew();
        Assert.True(old.OpenTree("t").TryGet("a"u8, out value));
        Assert.True(value.SequenceEqual("3"u8));
    }

    [Fact]
    public async Task What_is_done_to_the_files_is_counted_by_kind()
    {
        using var folder = new TestFolder();
        using var environment = StorageEnvironment.Open(
            new StorageOptions { Path = folder.Path, FlushInterval = TimeSpan.FromHours(1) }
        );
        var before = environment.GetIoStatistics().ToDictionary(s => s.Kind);
        for (var i = 0; i < 300; i++)
            await environment.WriteAsync(t => t.CreateTree("t").Put("a"u8, new byte[100]));
        environment.Flush();
        var after = environment.GetIoStatistics().ToDictionary(s => s.Kind);

        Assert.Equal(300, after[IoKind.JournalWrite].Count - before[IoKind.JournalWrite].Count);
        Assert.Equal(environment.GetStatistics().JournalBytesWritten, after[IoKind.JournalWrite].Bytes);
        Assert.InRange(after[IoKind.JournalSync].Count, 300, 310);
        Assert.Equal(1, after[IoKind.Flush].Count);
        // Two of the checkpoint, two of its repetition in the other slot before space is given back.
        Assert.Equal(4, after[IoKind.DataSync].Count - before[IoKind.DataSync].Count);
        Assert.All(after.Values, s => Assert.Equal(s.Count, s.Durations.Sum(b => b.Count)));
        Assert.All(after.Values, s => Assert.Equal(s.Count, s.Sizes.Sum(b => b.Count)));
        Assert.Equal(256, after[IoKind.JournalWrite].Recent.Count);
        Assert.True(
            after[IoKind.JournalWrite].BytesPerSecond > 0 && after[IoKind.JournalWrite].Percentile(0.99) > TimeSpan.Zero
        );
        Assert.All(after[IoKind.JournalWrite].Recent, r => Assert.Equal(0, r.Bytes % 4096));
    }

    private sealed class ManualTime : TimeProvider
    {
        public TimeSpan Now { get; set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Now.Ticks;

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            new NoTimer();

        private sealed class NoTimer : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period) => true;

            public void Dispose() { }

            public ValueTask DisposeAsync() => ValueTask.CompletedTask;
        }
    }
}
