using Xunit;

namespace Pipeline.IntegrationTests.Faults.Actors;

/// <summary>The checker of tallies finds each planted fault, and none in a right history.</summary>
public sealed class TallyCheckerTests
{
    private static readonly Written[] Events =
    [
        new(1, 1, "1-0", "first"),
        new(1, 2, "1-1", "first"),
        new(1, 3, "1-2", "second"),
        new(2, 1, "2-0", "third"),
    ];
    private static readonly Answer[] Answers = [new(1, "1-0", 1, 0, 1), new(1, "1-2", 3, 2, 3), new(2, "2-0", 1, 0, 1)];

    [Fact]
    public void A_right_history_has_no_fault() => Assert.Empty(TallyChecker.Check(Answers, Events));

    [Fact]
    public void A_lost_event_is_found()
    {
        Assert.Contains("is not there", Only(TallyChecker.Check(Answers, Events[..3])), StringComparison.Ordinal);
        var faults = TallyChecker.Check([], [Events[0], Events[2]]);
        Assert.Contains("event 2 is missing", Only(faults), StringComparison.Ordinal);
    }

    [Fact]
    public void A_number_that_is_there_twice_is_found()
    {
        var faults = TallyChecker.Check([], [.. Events, new Written(2, 1, "2-1", "fourth")]);
        Assert.Contains("there twice", faults[0], StringComparison.Ordinal);
    }

    [Fact]
    public void A_request_that_counts_twice_is_found()
    {
        var faults = TallyChecker.Check(Answers, [.. Events, new Written(1, 4, "1-2", "second")]);
        Assert.Contains("request 1-2 counts 2 times", Only(faults), StringComparison.Ordinal);
    }

    [Fact]
    public void Two_actors_of_one_tally_that_run_at_once_are_found()
    {
        var faults = TallyChecker.Check(Answers, [.. Events, new Written(1, 4, "1-3", "first")]);
        Assert.Contains("two actors wrote in turns", Only(faults), StringComparison.Ordinal);
    }

    private static string Only(IReadOnlyList<string> faults) => Assert.Single(faults);
}
