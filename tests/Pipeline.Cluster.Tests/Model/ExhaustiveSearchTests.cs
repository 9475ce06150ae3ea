using System.Diagnostics;
using Pipeline.TestKit;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Cluster.Tests.Model;

/// <summary>
/// Every state within small bounds keeps the invariants, and each planted bug breaks one of them.
/// PIPELINE_SEARCH_STATES lets a search visit more states than the few that continuous integration has time for.
/// </summary>
public sealed class ExhaustiveSearchTests(ITestOutputHelper output)
{
    private static readonly int Most = RunSetting.Read("PIPELINE_SEARCH_STATES", 150_000);

    /// <summary>Bounds that are visited whole: nodes, claims, entries, beats, duplicates, ticks, crashes.</summary>
    public static TheoryData<int, int, int, int, int, int, int> Bounds =>
        new()
        {
            { 2, 2, 2, 0, 1, 0, 0 },
            { 2, 2, 1, 1, 0, 1, 0 },
            { 2, 2, 1, 0, 0, 0, 1 },
            { 3, 2, 1, 0, 0, 0, 0 },
        };

    [Theory]
    [MemberData(nameof(Bounds))]
    public void Every_state_within_the_bounds_keeps_the_invariants(
        int nodes,
        int claims,
        int entries,
        int beats,
        int duplicates,
        int ticks,
        int crashes
    )
    {
        foreach (var byTail in new[] { false, true })
        {
            var search = Search(
                nodes,
                new Budget(claims, entries, beats, duplicates, ticks, crashes),
                byTail,
                PlantedBug.None,
                Most
            );
            Assert.Null(search.Violation);
        }
    }

    /// <summary>
    /// A bug, and what must happen for it to show: claims, entries, beats, duplicates, ticks; whether acceptance is
    /// known by reading.
    /// </summary>
    [Theory]
    [InlineData(PlantedBug.ClaimWithoutCondition, 2, 0, 0, 1, 0, false)]
    [InlineData(PlantedBug.EpochAndChainIgnored, 2, 1, 0, 0, 0, false)]
    [InlineData(PlantedBug.TransactionAndChainIgnored, 1, 2, 0, 0, 0, false)]
    [InlineData(PlantedBug.AcknowledgedWithoutContiguity, 2, 1, 0, 0, 0, false)]
    [InlineData(PlantedBug.UnknownAnswerTakenForLanded, 1, 1, 0, 0, 0, false)]
    [InlineData(PlantedBug.LedBeforeReadingTheClaim, 2, 2, 0, 0, 0, false)]
    [InlineData(PlantedBug.PublishedBeforeAcceptance, 1, 1, 0, 0, 0, false)]
    [InlineData(PlantedBug.AcknowledgedDuringTheOldLease, 2, 1, 1, 0, 0, false)]
    [InlineData(PlantedBug.LeaseFromTheAnswer, 2, 1, 1, 0, 1, true)]
    public void A_planted_bug_is_found(
        PlantedBug bug,
        int claims,
        int entries,
        int beats,
        int duplicates,
        int ticks,
        bool byTail
    )
    {
        var budget = new Budget(claims, entries, beats, duplicates, ticks);
        Assert.NotNull(Search(2, budget, byTail, bug, Most).Violation);
        // The same bounds without the bug are sound.
        Assert.Null(Search(2, budget, byTail, PlantedBug.None, Most).Violation);
    }

    [Theory]
    [InlineData(PlantedBug.EpochAndStartIgnored)]
    [InlineData(PlantedBug.ChainIgnored)]
    [InlineData(PlantedBug.TransactionIgnored)]
    public void Any_one_guard_may_be_missing(PlantedBug guard)
    {
        var search = Search(2, new Budget(Claims: 2, Entries: 2, Duplicates: 1), byTail: false, guard, Most);
        Assert.Null(search.Violation);
    }

    private ExhaustiveSearch Search(int nodes, Budget budget, bool byTail, PlantedBug bug, int most)
    {
        var search = new ExhaustiveSearch(nodes, budget, byTail, bug);
        var began = Stopwatch.GetTimestamp();
        var whole = search.Run(most);
        output.WriteLine(
            $"{bug}, {(byTail ? "by tail" : "by contiguity")}, {nodes} nodes, {budget}: {search.States} states, {search.Steps} steps, "
                + $"{(search.Violation is { } violation ? $"found: {violation}" : whole ? "all visited, none bad" : "stopped, none bad")}, {Stopwatch.GetElapsedTime(began).TotalSeconds:f1} s"
        );
        return search;
    }
}
