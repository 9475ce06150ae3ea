using Pipeline.Cluster.Tests.Node;
using Pipeline.Storage;

namespace Pipeline.Cluster.Tests.Store;

/// <summary>
/// What the clients of a run were told. Each write has a number, and the store counts the writes that it has: a write
/// answers with its count, a read and a failed comparison with the count that they saw. All calls are linearizable if
/// no call saw less than what any call had seen before it began.
/// </summary>
internal sealed class StoreCalls
{
    /// <summary>The writes that clients know to be there, by their count.</summary>
    public Dictionary<long, int> Acknowledged { get; } = [];

    /// <summary>Writes that were reported to a client as not done.</summary>
    public HashSet<int> Refused { get; } = [];

    /// <summary>The greatest count that any finished call has seen.</summary>
    public long Seen { get; private set; }

    public int Writes { get; private set; }

    public int Reads { get; private set; }

    public int Errors { get; private set; }

    public int Numbers { get; set; }

    /// <summary>How many writes the log has accepted.</summary>
    public required Func<long> Accepted { get; init; }

    public void Wrote(int number, long count)
    {
        Acknowledged[count] = number;
        Writes++;
        See(count);
    }

    /// <param name="count">The count that the call saw.</param>
    /// <param name="before">What had been seen when it began.</param>
    /// <param name="what">Its kind.</param>
    public void Read(long count, long before, string what)
    {
        if (count < before)
            throw new SimulationFailure($"a {what} saw write {count}, after {before} had been seen");
        Reads++;
        See(count);
    }

    public void Failed(int number, Exception error)
    {
        Errors++;
        if (
            error
            is NotAcceptedException { Outcome: CommitOutcome.Refused }
                or NotLeaderException
                or DiskFullException
                or ScratchFullException
        )
        {
            Refused.Add(number);
        }
    }

    private void See(long count)
    {
        if (count > Accepted())
            throw new SimulationFailure($"an answer came from write {count}, which the log has not accepted");
        Seen = Math.Max(Seen, count);
    }
}

/// <summary>The error of a comparison that fails, with the count of the state that it comes from.</summary>
internal sealed class ComparisonException(long count) : Exception($"The comparison failed at write {count}.")
{
    public long Count => count;
}
