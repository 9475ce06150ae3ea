namespace Pipeline.Cluster;

/// <summary>
/// The result of all records up to a place in the log. Equal on all nodes that have read up to the same place.
/// </summary>
/// <param name="Epoch">The number of the last accepted claim; 0 before the first.</param>
/// <param name="Leader">The start id of the process whose claim that was.</param>
/// <param name="Transaction">The number of the next transaction.</param>
/// <param name="Chain">A hash over all accepted records except beats.</param>
/// <param name="Part">The next part of the transaction whose parts are arriving; 0 between transactions.</param>
/// <param name="Phase">Whether anybody may append transactions.</param>
/// <param name="Format">The newest format that records and entries may use.</param>
public readonly record struct AutomatonState(
    long Epoch,
    Guid Leader,
    long Transaction,
    Chain Chain,
    int Part,
    LogPhase Phase,
    int Format
)
{
    /// <summary>
    /// The chain directly after the record that began the log. It identifies the log; zero if the log began with
    /// transaction 1.
    /// </summary>
    public Chain Origin { get; init; }

    /// <summary>The state before the first record of a log.</summary>
    public static AutomatonState Start => new(0, Guid.Empty, 1, default, 0, LogPhase.Vacant, 0);

    /// <inheritdoc/>
    public override string ToString() =>
        $"epoch {Epoch}, next transaction {Transaction}{(Part > 0 ? $" part {Part}" : "")}, chain {Chain}, {Phase}";
}
