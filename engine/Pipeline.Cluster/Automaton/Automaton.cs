namespace Pipeline.Cluster;

/// <summary>
/// Decides which records of a log count. A pure function of the state and the next record: nodes that read the same log
/// accept the same records.
/// </summary>
/// <remarks>
/// Safety rests on this file alone: not on clocks, not on the producer's idempotence, not on which node believes that
/// it leads. A record that is not accepted here is ignored by every node, for ever. RECORDS.md describes the bytes,
/// Model/SharedLog.tla the invariants.
/// </remarks>
public static class Automaton
{
    /// <summary>Takes the next record of the log.</summary>
    /// <param name="state">The state before the record.</param>
    /// <param name="record">The record.</param>
    /// <param name="next">The state after it. Equal to <paramref name="state"/> if the record is not accepted.</param>
    /// <returns>Whether the record is accepted.</returns>
    public static bool Step(in AutomatonState state, in LogRecord record, out AutomatonState next)
    {
        next = state;
        if (!Accepts(state, record))
            return false;
        next = record.Kind switch
        {
            RecordKind.Claim => state with
            {
                Epoch = record.Epoch,
                Leader = record.Start,
                Phase = LogPhase.Led,
                Part = 0,
            },
            RecordKind.Entry when record.IsLastPart => state with { Transaction = state.Transaction + 1, Part = 0 },
            RecordKind.Entry => state with { Part = state.Part + 1 },
            RecordKind.Handover => state with { Phase = LogPhase.HandedOver },
            RecordKind.NextLog => state with { Phase = LogPhase.Ended },
            RecordKind.Feature => state with { Format = record.Format },
            RecordKind.Begin => state with
            {
                Epoch = record.Epoch,
                Transaction = record.Transaction,
                Format = record.Format,
            },
            _ => state,
        };
        // A beat changes nothing, so it may be lost or duplicated without breaking the chain of the records around it.
        if (record.Kind != RecordKind.Beat)
            next = next with { Chain = state.Chain.Append(record.Bytes.Span) };
        if (record.Kind == RecordKind.Begin)
            next = next with { Origin = next.Chain };
        return true;
    }

    private static bool Accepts(in AutomatonState state, in LogRecord record) =>
        record.Kind switch
        {
            // Of two claims on the same epoch, the first one in the log wins.
            RecordKind.Claim => state.Phase != LogPhase.Ended && record.Epoch == state.Epoch + 1,
            RecordKind.Beat => IsFromLeader(state, record),
            RecordKind.Entry => Follows(state, record) && record.Part == state.Part,
            RecordKind.Feature => Follows(state, record) && state.Part == 0 && record.Format > state.Format,
            // Of two beginnings, the first one in the log wins. After a claim, no beginning is accepted.
            RecordKind.Begin => state == AutomatonState.Start
                && record is { Epoch: >= 0, Transaction: > 0, Format: >= 0 },
            RecordKind.Handover or RecordKind.Fork or RecordKind.NextLog => Follows(state, record) && state.Part == 0,
            _ => false,
        };

    private static bool IsFromLeader(in AutomatonState state, in LogRecord record) =>
        state.Phase == LogPhase.Led && record.Epoch == state.Epoch && record.Start == state.Leader;

    /// <summary>
    /// Whether the leader wrote the record directly after everything accepted so far. Duplicates and records out of
    /// order fail this check.
    /// </summary>
    private static bool Follows(in AutomatonState state, in LogRecord record) =>
        IsFromLeader(state, record) && record.Transaction == state.Transaction && record.Chain == state.Chain;
}
