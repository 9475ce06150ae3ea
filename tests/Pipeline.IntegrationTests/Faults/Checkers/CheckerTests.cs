using Xunit;

namespace Pipeline.IntegrationTests.Faults.Checkers;

/// <summary>Each checker takes a right history, and finds a fault that is planted in it.</summary>
public sealed class CheckerTests
{
    [Fact]
    public void A_register_whose_calls_agree_is_right()
    {
        var checker = Registers(
            Write(0, 10, 0, 1),
            Read(5, 8, 0),
            Read(5, 9, 1),
            Write(11, 20, 1, 2, CallOutcome.Unknown),
            Read(30, 31, 2),
            Write(12, 40, 1, 3, CallOutcome.Mismatched),
            Write(32, 33, 2, 4, CallOutcome.Refused),
            Write(34, 60, 2, 5, CallOutcome.Unknown),
            Read(70, 71, 2)
        );
        Assert.Empty(checker.Faults);
        Assert.Equal(2, checker.Places[2]);
    }

    [Fact]
    public void A_write_of_unknown_outcome_may_land_late() =>
        Assert.Empty(Registers(Write(0, 5, 0, 1, CallOutcome.Unknown), Read(10, 11, 0), Read(12, 13, 1)).Faults);

    [Fact]
    public void A_lost_update_is_found() =>
        Found("replaced the same value", Registers(Write(0, 1, 0, 1), Write(2, 3, 0, 2)).Faults);

    [Fact]
    public void A_stale_read_is_found() => Found("earlier place", Registers(Write(0, 1, 0, 1), Read(2, 3, 0)).Faults);

    [Fact]
    public void A_lost_write_is_found() =>
        Found("earlier place", Registers(Write(0, 1, 0, 1), Write(2, 3, 1, 2), Read(4, 5, 1)).Faults);

    [Fact]
    public void A_value_that_vanishes_is_found() =>
        Found("earlier place", Registers(Write(0, 9, 0, 1, CallOutcome.Unknown), Read(2, 3, 1), Read(4, 5, 0)).Faults);

    [Fact]
    public void A_value_from_nowhere_is_found() => Found("nobody wrote 7", Registers(Read(0, 1, 7)).Faults);

    [Theory]
    [InlineData(CallOutcome.Refused)]
    [InlineData(CallOutcome.Mismatched)]
    public void A_write_that_was_denied_and_carried_out_is_found(object outcome) =>
        Found("was carried out", Registers(Write(0, 1, 0, 1, (CallOutcome)outcome), Read(2, 3, 1)).Faults);

    [Fact]
    public void A_mismatch_with_a_value_that_was_never_there_is_found() =>
        Found(
            "had no other value",
            Registers(
                Read(0, 1, 0),
                Write(2, 3, 0, 1, CallOutcome.Unknown),
                Write(2, 4, 0, 2, CallOutcome.Mismatched),
                Read(5, 6, 0)
            ).Faults
        );

    [Fact]
    public void A_list_whose_calls_agree_is_right() =>
        Assert.Empty(
            ListChecker.Check(
                "list",
                [
                    Append(0, 5, 1),
                    Append(1, 6, 2, CallOutcome.Unknown),
                    Append(1, 7, 3, CallOutcome.Refused),
                    ReadList(6, 8, 1),
                    ReadList(9, 10, 1, 2),
                ]
            )
        );

    [Fact]
    public void A_lost_append_is_found() =>
        Found("is lost", ListChecker.Check("list", [Append(0, 1, 1), Append(2, 3, 2), ReadList(4, 5, 1)]));

    [Fact]
    public void An_append_that_was_done_twice_is_found() =>
        Found("is there twice", ListChecker.Check("list", [Append(0, 1, 1), ReadList(2, 3, 1, 1)]));

    [Fact]
    public void Appends_in_another_order_are_found()
    {
        Found(
            "the beginning",
            ListChecker.Check(
                "list",
                [Append(0, 9, 1), Append(0, 9, 2), Append(0, 9, 3), ReadList(3, 4, 2, 1), ReadList(10, 11, 1, 2, 3)]
            )
        );
        Found("earlier place", ListChecker.Check("list", [Append(0, 1, 1), Append(2, 3, 2), ReadList(4, 5, 2, 1)]));
    }

    [Fact]
    public void A_refused_append_that_is_there_is_found() =>
        Found("was carried out", ListChecker.Check("list", [Append(0, 1, 1, CallOutcome.Refused), ReadList(2, 3, 1)]));

    [Fact]
    public void A_read_of_a_shorter_list_is_found() =>
        Found("earlier place", ListChecker.Check("list", [Append(0, 1, 1), ReadList(2, 3), ReadList(4, 5, 1)]));

    [Fact]
    public void Half_a_transfer_is_found()
    {
        Assert.Empty(BankChecker.Check(2, 200, [new BankRead("a", [90, 110])]));
        Found("with 190", BankChecker.Check(2, 200, [new BankRead("a", [90, 100])]));
        Found("1 of 2 accounts", BankChecker.Check(2, 200, [new BankRead("a", [200])]));
    }

    [Fact]
    public void A_follower_that_goes_back_is_found()
    {
        var places = new Dictionary<long, int>
        {
            [0] = 0,
            [7] = 1,
            [5] = 2,
        };
        FollowerRead Read(long at, int start, long value, long? atLeast = null) =>
            new(at, "c", "n1", start, [value], atLeast is { } wanted ? (0, wanted) : null);
        var checker = new FollowerChecker([places]);
        Assert.Empty(checker.Check([Read(0, 1, 0), Read(1, 1, 7, 7), Read(2, 1, 5, 7)]));
        Assert.Empty(checker.Check([Read(0, 1, 7), Read(1, 2, 0)]));
        Assert.Equal(1, checker.OlderAfterStart);
        Found("came after", checker.Check([Read(0, 1, 7), Read(1, 1, 0)]));
        Found("waited for", checker.Check([Read(0, 1, 7, 5)]));
        Found("never there", checker.Check([Read(0, 1, 9)]));
    }

    [Fact]
    public void Messages_that_come_twice_or_not_or_in_another_order_are_found()
    {
        var places = new Dictionary<long, int>
        {
            [0] = 0,
            [7] = 1,
            [5] = 2,
        };
        IReadOnlyList<string> Check(params long[] values) =>
            MessageChecker.Check([places], values.Select((v, i) => new SentMessage(i, 0, v)));
        Assert.Empty(Check(0, 7, 5));
        Assert.Empty(Check(5));
        Found("after 1", Check(0, 7, 7, 5));
        Found("after 2", Check(0, 5, 7));
        Found("place 1 of 2", Check(0, 7));
        Found("never there", Check(0, 9, 5));
    }

    [Fact]
    public void A_queue_that_lacks_the_last_change_or_repeats_one_under_another_id_is_found()
    {
        var places = new Dictionary<long, int>
        {
            [0] = 0,
            [7] = 1,
            [5] = 2,
        };
        IReadOnlyList<string> Check(params (string Id, long Value)[] messages) =>
            QueueChecker.Check([places], messages.Select(m => new QueuedMessage(m.Id, 0, m.Value)));
        Assert.Empty(Check(("a", 7), ("b", 5)));
        Assert.Empty(Check(("a", 7), ("b", 5), ("a", 7), ("b", 5)));
        Found("5 at place 2", Check(("a", 7)));
        Found("has the id of", Check(("a", 7), ("a", 5)));
        Found("came before as 'a'", Check(("a", 7), ("b", 7), ("c", 5)));
        Found("never there", Check(("a", 9), ("b", 5)));
    }

    [Fact]
    public void A_subscription_that_loses_repeats_or_reorders_changes_is_found()
    {
        var places = new WatchedPlaces(
            [
                new Dictionary<long, int>
                {
                    [0] = 0,
                    [7] = 1,
                    [5] = 2,
                },
            ],
            new Dictionary<string, IReadOnlyList<long>> { ["lists/0"] = [1, 2] }
        );
        DeliveredBatch Batch(int connection, CallOutcome? acknowledgement, params long[] values) =>
            new(connection, "n1", [.. values.Select(v => new DeliveredChange("registers/0", [v]))])
            {
                Acknowledgement = acknowledgement,
            };
        IReadOnlyList<string> Check(params DeliveredBatch[] batches) =>
            SubscriptionChecker.Check("watch", batches, places.Find, places.LastOf("Registers"));
        Assert.Empty(Check(Batch(1, CallOutcome.Done, 0), Batch(1, CallOutcome.Done, 5)));
        Assert.Empty(Check(Batch(1, CallOutcome.Unknown, 7), Batch(2, CallOutcome.Done, 7, 5)));
        Assert.Empty(Check(Batch(1, null, 7, 5), Batch(2, CallOutcome.Unknown, 5)));
        Found("2, and 1 was acknowledged", Check(Batch(1, CallOutcome.Done, 7)));
        Found("2, and 1 was acknowledged", Check(Batch(1, CallOutcome.Done, 7), Batch(1, null, 5)));
        Found("2, and -1 was acknowledged", Check());
        Found("after 2", Check(Batch(1, CallOutcome.Done, 5, 7)));
        Found("after 1", Check(Batch(1, null, 7), Batch(1, CallOutcome.Done, 7, 5)));
        Found("acknowledged before", Check(Batch(1, CallOutcome.Done, 5), Batch(2, CallOutcome.Done, 5)));
        Found("never there", Check(Batch(1, CallOutcome.Done, 9, 5)));

        DeliveredBatch List(params long[] values) =>
            new(1, "n1", [new DeliveredChange("lists/0", values)]) { Acknowledgement = CallOutcome.Done };
        IReadOnlyList<string> CheckList(params DeliveredBatch[] batches) =>
            SubscriptionChecker.Check("watch", batches, places.Find, places.LastOf("Lists"));
        Assert.Empty(CheckList(List(1), List(1, 2)));
        Found("never there", CheckList(List(2), List(1, 2)));
        Found("has place 2, and 1 was", CheckList(List(1)));
    }

    private static void Found(string text, IReadOnlyList<string> faults) =>
        Assert.Contains(faults, f => f.Contains(text, StringComparison.Ordinal));

    private static RegisterChecker Registers(params RegisterCall[] calls) => new("register", 0, calls);

    private static RegisterCall Read(long began, long ended, long value) =>
        new(began, ended, "c", "n1", null, value, CallOutcome.Done);

    private static RegisterCall Write(
        long began,
        long ended,
        long expected,
        long value,
        CallOutcome outcome = CallOutcome.Done
    ) => new(began, ended, "c", "n1", expected, value, outcome);

    private static ListCall Append(long began, long ended, long value, CallOutcome outcome = CallOutcome.Done) =>
        new(began, ended, "c", "n1", value, null, outcome);

    private static ListCall ReadList(long began, long ended, params long[] values) =>
        new(began, ended, "c", "n1", null, values, CallOutcome.Done);
}
