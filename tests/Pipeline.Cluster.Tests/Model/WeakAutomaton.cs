namespace Pipeline.Cluster.Tests.Model;

/// <summary>The real automaton, shown a state in which the guard that a bug removes always fits.</summary>
internal static class WeakAutomaton
{
    public static bool Step(PlantedBug bug, in AutomatonState state, in LogRecord record, out AutomatonState next)
    {
        var shown = state;
        if (bug == PlantedBug.ClaimWithoutCondition && record.Kind == RecordKind.Claim)
            shown = state with { Epoch = record.Epoch - 1 };
        if (record.Kind == RecordKind.Entry)
        {
            if (bug is PlantedBug.EpochAndStartIgnored or PlantedBug.EpochAndChainIgnored)
                shown = shown with { Epoch = record.Epoch, Leader = record.Start, Phase = LogPhase.Led };
            if (
                bug
                is PlantedBug.ChainIgnored
                    or PlantedBug.EpochAndChainIgnored
                    or PlantedBug.TransactionAndChainIgnored
            )
            {
                shown = shown with { Chain = record.Chain };
            }

            if (bug is PlantedBug.TransactionIgnored or PlantedBug.TransactionAndChainIgnored)
                shown = shown with { Transaction = record.Transaction };
        }
        var accepted = Pipeline.Cluster.Automaton.Step(shown, record, out next);
        if (!accepted)
            next = state;
        else if (record.Kind == RecordKind.Entry)
            next = next with { Epoch = state.Epoch, Leader = state.Leader, Phase = state.Phase };
        return accepted;
    }
}
