using System.Diagnostics;
using System.Security.Cryptography;
using System.Text;
using Xunit;
using Xunit.Abstractions;
using static Pipeline.Cluster.Automaton;

namespace Pipeline.Cluster.Tests.Automaton;

/// <summary>Which records count, one rule a test.</summary>
public sealed class AutomatonTests(ITestOutputHelper output)
{
    private static readonly Guid A = new(1, 0, 0, new byte[8]),
        B = new(2, 0, 0, new byte[8]);

    [Fact]
    public void Nothing_is_accepted_before_the_first_claim()
    {
        Refused(AutomatonState.Start, LogRecord.Entry(AutomatonState.Start, "x"u8, isLast: true));
        Refused(AutomatonState.Start, LogRecord.BeatOf(AutomatonState.Start, 1));
        Refused(AutomatonState.Start, LogRecord.Handover(AutomatonState.Start, "b"));
        var led = Accepted(AutomatonState.Start, LogRecord.Claim(AutomatonState.Start, A, "a"));
        Assert.Equal((1, A, 1, LogPhase.Led), (led.Epoch, led.Leader, led.Transaction, led.Phase));
    }

    [Fact]
    public void Of_two_claims_the_first_wins_and_its_duplicate_is_passed_over()
    {
        var (first, second) = (
            LogRecord.Claim(AutomatonState.Start, A, "a"),
            LogRecord.Claim(AutomatonState.Start, B, "b")
        );
        var led = Accepted(AutomatonState.Start, first);
        Refused(led, second);
        Refused(led, first);
        Refused(AutomatonState.Start, LogRecord.Claim(led, B, "b"));
    }

    [Fact]
    public void An_entry_is_accepted_once_and_in_order()
    {
        var led = Led(A);
        var one = LogRecord.Entry(led, "1"u8, isLast: true);
        var afterOne = Accepted(led, one);
        var two = LogRecord.Entry(afterOne, "2"u8, isLast: true);
        Refused(led, two);
        Refused(afterOne, one);
        Assert.Equal(3, Accepted(afterOne, two).Transaction);
    }

    [Fact]
    public void A_deposed_leaders_late_records_are_passed_over()
    {
        var led = Led(A);
        var deposed = Accepted(led, LogRecord.Claim(led, B, "b"));
        Refused(deposed, LogRecord.Entry(led, "late"u8, isLast: true));
        Refused(deposed, LogRecord.BeatOf(led, 1));
        Refused(deposed, LogRecord.Handover(led, "c"));
        // Even one that knew the chain and the epoch, but is not the process that claimed.
        Refused(deposed, LogRecord.Entry(deposed with { Leader = A }, "late"u8, isLast: true));
        Refused(deposed, LogRecord.Entry(deposed with { Epoch = 1 }, "late"u8, isLast: true));
        Refused(deposed, LogRecord.Entry(deposed with { Chain = led.Chain }, "late"u8, isLast: true));
        Accepted(deposed, LogRecord.Entry(deposed, "new"u8, isLast: true));
    }

    [Fact]
    public void Parts_make_one_transaction_and_a_claim_voids_an_unfinished_one()
    {
        var led = Led(A);
        var first = LogRecord.Entry(led, "1"u8, isLast: false);
        var half = Accepted(led, first);
        Assert.Equal((1, 1), (half.Transaction, half.Part));
        Refused(half, first);
        Refused(half, LogRecord.Handover(half, "b"));
        Refused(half, LogRecord.Feature(half, 1));
        Refused(led, LogRecord.Entry(half, "2"u8, isLast: true));
        Assert.Equal(
            (2, 0),
            (
                Accepted(half, LogRecord.Entry(half, "2"u8, isLast: true)).Transaction,
                Accepted(half, LogRecord.Entry(half, "2"u8, isLast: true)).Part
            )
        );

        var claimed = Accepted(half, LogRecord.Claim(half, B, "b"));
        Assert.Equal((1, 0), (claimed.Transaction, claimed.Part));
        Refused(claimed, LogRecord.Entry(half, "2"u8, isLast: true));
    }

    [Fact]
    public void A_beat_changes_nothing()
    {
        var led = Led(A);
        Assert.Equal(led, Accepted(led, LogRecord.BeatOf(led, 1)));
        // The beat's transaction and chain are only what the leader knew.
        Accepted(Accepted(led, LogRecord.Entry(led, "1"u8, isLast: true)), LogRecord.BeatOf(led, 1));
    }

    [Fact]
    public void After_a_handover_only_a_claim_is_accepted_and_after_the_end_nothing()
    {
        var led = Led(A);
        var over = Accepted(led, LogRecord.Handover(led, "b"));
        Refused(over, LogRecord.Entry(over, "x"u8, isLast: true));
        Refused(over, LogRecord.BeatOf(over, 1));
        Accepted(over, LogRecord.Claim(over, B, "b"));
        var ended = Accepted(led, LogRecord.NextLog(led, "other"));
        Refused(ended, LogRecord.Claim(ended, B, "b"));
        Refused(ended, LogRecord.Entry(ended, "x"u8, isLast: true));
    }

    [Fact]
    public void A_log_begins_with_a_store_once_and_before_all_else()
    {
        var store = AutomatonState.Start with { Epoch = 7, Leader = A, Transaction = 41, Format = 2 };
        var begun = Accepted(AutomatonState.Start, LogRecord.Begin(store, "a"));
        Assert.Equal((7, 41, 2, LogPhase.Vacant), (begun.Epoch, begun.Transaction, begun.Format, begun.Phase));
        Assert.Equal(begun.Chain, begun.Origin);
        Refused(begun, LogRecord.Begin(store, "b"));
        Refused(Led(A), LogRecord.Begin(store, "a"));
        // Only a claim on the next epoch leads, and the origin stays.
        Refused(begun, LogRecord.Claim(AutomatonState.Start, B, "b"));
        var led = Accepted(begun, LogRecord.Claim(begun, B, "b"));
        var next = Accepted(led, LogRecord.Entry(led, "41"u8, isLast: true));
        Assert.Equal((8, 42, begun.Origin), (next.Epoch, next.Transaction, next.Origin));
        // Two logs that begin with one store are two logs.
        Assert.NotEqual(
            begun.Origin,
            Accepted(AutomatonState.Start, LogRecord.Begin(store with { Leader = B }, "a")).Origin
        );
    }

    [Theory]
    [InlineData(-1, 1, 0)]
    [InlineData(0, 0, 0)]
    [InlineData(0, 1, -1)]
    public void A_beginning_that_makes_no_sense_is_passed_over(long epoch, long transaction, int format) =>
        Refused(
            AutomatonState.Start,
            LogRecord.Begin(
                AutomatonState.Start with
                {
                    Epoch = epoch,
                    Transaction = transaction,
                    Format = format,
                },
                "a"
            )
        );

    [Fact]
    public void Features_and_forks_happen_once_and_formats_only_grow()
    {
        var led = Led(A);
        var feature = LogRecord.Feature(led, 3);
        var newer = Accepted(led, feature);
        Assert.Equal(3, newer.Format);
        Refused(newer, feature);
        Refused(newer, LogRecord.Feature(newer, 3));
        var fork = LogRecord.Fork(newer, 1, 0, 9);
        Refused(Accepted(newer, fork), fork);
    }

    [Fact]
    public void An_unknown_kind_is_passed_over()
    {
        var led = Led(A);
        LogRecord.TryRead(LogRecordTests.OfUnknownKind(led), out var unknown);
        Refused(led, unknown);
    }

    [Fact]
    public void The_chain_is_the_one_of_the_page()
    {
        var claim = LogRecord.Claim(AutomatonState.Start, A, "a");
        var expected = SHA256.HashData([.. new byte[16], .. SHA256.HashData(claim.Bytes.Span)])[..16];
        Assert.Equal(Convert.ToHexStringLower(expected), Accepted(AutomatonState.Start, claim).Chain.ToString());
    }

    /// <summary>
    /// Any mixture of the records of two leaders gives dense transactions, rising epochs, and no record twice.
    /// </summary>
    [Fact]
    public void Any_order_of_records_gives_dense_transactions()
    {
        var accepted = 0;
        for (var seed = 0; seed < 500; seed++)
        {
            var random = new Random(seed);
            var (state, records, seen) = (AutomatonState.Start, new List<LogRecord>(), new HashSet<string>());
            for (var i = 0; i < 60; i++)
            {
                var basis = state with
                {
                    Leader = random.Next(2) == 0 ? A : B,
                    Part = random.Next(2),
                    Transaction = state.Transaction + random.Next(2),
                };
                records.Add(
                    random.Next(4) switch
                    {
                        0 => LogRecord.Claim(basis, basis.Leader, "n"),
                        1 when random.Next(3) == 0 => LogRecord.BeatOf(basis, i),
                        _ => LogRecord.Entry(basis, Encoding.UTF8.GetBytes($"{i}"), random.Next(2) == 0),
                    }
                );
                var record = records[random.Next(2) == 0 ? records.Count - 1 : random.Next(records.Count)];
                var before = state;
                if (!Step(before, record, out state))
                {
                    Assert.Equal(before, state);
                    continue;
                }
                accepted++;
                Assert.True(
                    record.Kind == RecordKind.Beat || seen.Add(Convert.ToHexString(record.Bytes.Span)),
                    "a record was accepted twice"
                );
                Assert.Equal(
                    before.Transaction + (record.Kind == RecordKind.Entry && record.IsLastPart ? 1 : 0),
                    state.Transaction
                );
                Assert.Equal(before.Epoch + (record.Kind == RecordKind.Claim ? 1 : 0), state.Epoch);
            }
        }
        Assert.True(accepted > 3000, $"{accepted} records were accepted");
    }

    [Fact]
    public void A_step_allocates_nothing()
    {
        foreach (var bytes in new[] { 1000, 100_000 })
        {
            var led = Led(A);
            var record = LogRecord.Entry(led, new byte[bytes], isLast: true);
            for (var i = 0; i < 1000; i++)
                Step(led, record, out _);
            var (before, began) = (GC.GetAllocatedBytesForCurrentThread(), Stopwatch.GetTimestamp());
            for (var i = 0; i < 100; i++)
                Step(led, record, out _);
            Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
            output.WriteLine(
                $"{bytes} bytes: {Stopwatch.GetElapsedTime(began).TotalMicroseconds / 100:f1} us a record"
            );
        }
    }

    private static AutomatonState Led(Guid start) =>
        Accepted(AutomatonState.Start, LogRecord.Claim(AutomatonState.Start, start, "n"));

    private static AutomatonState Accepted(in AutomatonState state, in LogRecord record)
    {
        Assert.True(Step(state, record, out var next), $"{record.Kind} was passed over in {state}");
        return next;
    }

    private static void Refused(in AutomatonState state, in LogRecord record)
    {
        Assert.False(Step(state, record, out var next), $"{record.Kind} was accepted in {state}");
        Assert.Equal(state, next);
    }
}
