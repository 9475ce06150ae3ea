using System.Diagnostics;
using Pipeline.TestKit;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Cluster.Tests.Model;

/// <summary>
/// Every state of ending and beginning logs within small bounds keeps the invariants, and each planted bug breaks one.
/// PIPELINE_SEARCH_STATES lets a search visit more states than the few that continuous integration has time for.
/// </summary>
public sealed class MoveSearchTests(ITestOutputHelper output)
{
    private static readonly int Most = RunSetting.Read("PIPELINE_SEARCH_STATES", 60_000);

    /// <summary>Nodes, logs, claims, entries, ends, begins, joins, crashes, wipes, losses.</summary>
    [Theory]
    [InlineData(2, 2, 1, 1, 1, 2, 2, 0, 0, 0)]
    [InlineData(2, 2, 0, 1, 1, 2, 1, 1, 0, 0)]
    [InlineData(2, 2, 1, 1, 1, 2, 2, 0, 1, 0)]
    [InlineData(2, 3, 1, 1, 1, 3, 2, 0, 0, 1)]
    [InlineData(3, 2, 0, 1, 1, 2, 2, 0, 0, 0)]
    public void Stores_that_follow_one_log_are_equal(
        int nodes,
        int logs,
        int claims,
        int entries,
        int ends,
        int begins,
        int joins,
        int crashes,
        int wipes,
        int losses
    )
    {
        var budget = new MoveBudget(claims, entries, ends, begins, joins, crashes, wipes, losses);
        var search = Search(nodes, logs, budget, MoveBug.None);
        Assert.Null(search.Violation);
        Assert.True(search.Moved > 0, "no store moved beside another");
    }

    [Theory]
    [InlineData(MoveBug.BegunBeforeTheEnd, 2, 0, 0, 0, 1, 0, 0, 0, 0)]
    [InlineData(MoveBug.GoneOnBeforeTheEnd, 2, 0, 1, 1, 2, 1, 0, 0, 0)]
    [InlineData(MoveBug.ChainIgnored, 3, 0, 0, 1, 2, 1, 0, 0, 0)]
    [InlineData(MoveBug.KeptBeforeTheDisk, 2, 0, 0, 1, 2, 1, 0, 0, 0)]
    [InlineData(MoveBug.OriginIgnored, 2, 1, 1, 1, 2, 1, 0, 0, 0)]
    [InlineData(MoveBug.NotCompared, 2, 1, 1, 0, 0, 2, 0, 0, 0)]
    [InlineData(MoveBug.BeginningTaken, 2, 0, 1, 1, 2, 1, 0, 0, 0)]
    public void A_planted_bug_is_found(
        MoveBug bug,
        int logs,
        int claims,
        int entries,
        int ends,
        int begins,
        int joins,
        int crashes,
        int wipes,
        int losses
    )
    {
        var budget = new MoveBudget(claims, entries, ends, begins, joins, crashes, wipes, losses);
        Assert.NotNull(Search(2, logs, budget, bug).Violation);
        // The same bounds without the bug are sound.
        Assert.Null(Search(2, logs, budget, MoveBug.None).Violation);
    }

    private MoveSearch Search(int nodes, int logs, MoveBudget budget, MoveBug bug)
    {
        // A third log is that of a node from another cluster.
        var search = new MoveSearch(nodes, logs, budget, bug, stranger: logs > 2);
        var began = Stopwatch.GetTimestamp();
        var whole = search.Run(Most);
        output.WriteLine(
            $"{bug}, {nodes} nodes, {logs} logs, {budget}: {search.States} states, {search.Moved} with stores that moved, "
                + $"{(search.Violation is { } violation ? $"found: {violation}" : whole ? "all visited, none bad" : "stopped, none bad")}, "
                + $"{Stopwatch.GetElapsedTime(began).TotalSeconds:f1} s"
        );
        return search;
    }
}
