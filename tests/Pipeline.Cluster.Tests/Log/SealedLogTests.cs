using Pipeline.TestKit.Cluster;
using Xunit;

namespace Pipeline.Cluster.Tests.Log;

/// <summary>A sealed log keeps the contract, hides its records, and refuses records under another key.</summary>
#pragma warning disable CA1001 // The base class disposes the log, asynchronously.
public sealed class SealedLogTests : SharedLogContract
{
    private static readonly byte[] Key = [.. Enumerable.Range(1, 32).Select(i => (byte)i)];
    private static readonly LogRecord Claim = LogRecord.Claim(
        AutomatonState.Start,
        new Guid(1, 2, 3, new byte[8]),
        "n1"
    );
    private readonly MemoryLog _log = new() { MaxRecordBytes = 1000 + LogSeal.ExtraBytes };

    protected override int ExtraBytes => LogSeal.ExtraBytes;

    protected override Task<ISharedLog> OpenAsync(int maxRecordBytes) => SealedAsync(_log);

    [Fact]
    public async Task The_log_has_no_record_in_clear_and_no_two_that_are_equal()
    {
        await using var log = new MemoryLog();
        var first = await SealedAsync(log);
        var second = await SealedAsync(log);
        for (var i = 0; i < 20; i++)
            await (i % 2 == 0 ? first : second).AppendAsync("attack at dawn"u8.ToArray(), i);
        var kept = (await log.ReadAsync(0, 1 << 20, TimeSpan.Zero)).Records;
        Assert.Equal(20, kept.Select(r => Convert.ToHexString(r.Span)).Distinct().Count());
        Assert.Equal(20, kept.Select(r => Convert.ToHexString(r.Span[16..40])).Distinct().Count());
        Assert.All(kept, r => Assert.True(LogSeal.IsSealed(r.Span) && r.Length == 14 + LogSeal.ExtraBytes));
        Assert.All(kept, r => Assert.Equal(-1, r.Span.IndexOf("attack"u8)));
        var read = (await second.ReadAsync(0, 1 << 20, TimeSpan.Zero)).Records;
        Assert.All(read, r => Assert.True(r.Span.SequenceEqual("attack at dawn"u8)));
    }

    [Fact]
    public async Task Each_byte_is_authenticated_and_so_are_the_cluster_and_the_place_of_its_bytes()
    {
        using var seal = new LogSeal(Key, "shop");
        using var same = new LogSeal(Key, "shop");
        using var other = new LogSeal(Key, "stock");
        var record = seal.Seal("one record"u8);
        Assert.Equal("one record"u8.ToArray(), same.Open(record));
        Assert.Null(other.Open(record));
        for (var i = 0; i < record.Length; i++)
        {
            var changed = record.ToArray();
            changed[i] ^= 1;
            // The magic and the key's id are compared before a record is opened.
            Assert.Null(same.Open(changed));
        }
        Assert.Null(same.Open(record.AsSpan(0, record.Length - 1)));
        Assert.Null(same.Open(record.AsSpan(0, 20)));
    }

    [Fact]
    public async Task A_log_under_another_key_or_none_is_refused_at_the_start_and_not_taken_for_empty()
    {
        await using var log = new MemoryLog();
        await (await SealedAsync(log)).AppendAsync(Claim.Bytes, 0);
        var other = Key.ToArray();
        other[0]++;
        var wrong = await Assert.ThrowsAsync<LogSealedException>(() =>
            SealedLog.OpenAsync(log, new LogSeal(other, "shop"))
        );
        Assert.Contains("cluster.log.encryption", wrong.Message, StringComparison.Ordinal);
        var none = await Assert.ThrowsAsync<LogSealedException>(() => SealedLog.OpenAsync(log, null));
        Assert.Contains("this node has no key", none.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<LogDamagedException>(() => SealedLog.OpenAsync(log, new LogSeal(Key, "stock")));
    }

    [Fact]
    public async Task A_record_in_clear_in_a_sealed_log_is_refused_and_foreign_bytes_are_passed_over()
    {
        await using var log = new MemoryLog();
        var node = await SealedAsync(log);
        await log.AppendAsync("written by something else"u8.ToArray(), 0);
        var foreign = Assert.Single((await node.ReadAsync(0, 1 << 20, TimeSpan.Zero)).Records);
        Assert.Equal(RecordCheck.Foreign, LogRecord.TryRead(foreign, out _));
        await log.AppendAsync(Claim.Bytes, 1);
        var clear = await Assert.ThrowsAsync<LogSealedException>(async () =>
            await node.ReadAsync(1, 1 << 20, TimeSpan.Zero)
        );
        Assert.Equal(1, clear.Place);
    }

    [Fact]
    public async Task A_record_that_was_changed_in_the_log_is_damaged()
    {
        await using var log = new MemoryLog();
        using var seal = new LogSeal(Key, "shop");
        var record = seal.Seal(Claim.Bytes.Span);
        record[^1] ^= 1;
        await log.AppendAsync(record, 0);
        await Assert.ThrowsAsync<LogDamagedException>(() => SealedAsync(log));
    }

    private static Task<ISharedLog> SealedAsync(MemoryLog log) => SealedLog.OpenAsync(log, new LogSeal(Key, "shop"));
}
