namespace Pipeline.Cluster.Tests.Model;

/// <summary>
/// Visits every state that a few processes can reach over a log which reorders, delays, duplicates and loses, and whose
/// answers get lost. The states come in the order of their distance, so a violation is reached by as few steps as
/// possible. It runs the shipped automaton, contiguity and lease, and checks the invariants of the design in each
/// state.
/// </summary>
internal sealed class ExhaustiveSearch(int nodes, Budget budget, bool byTail, PlantedBug bug)
{
    private readonly HashSet<UInt128> _seen = [];
    private readonly ModelRecords _records = new();
    private readonly Queue<ModelState> _open = new();

    public int States => _seen.Count;

    public long Steps { get; private set; }

    /// <summary>What went wrong first, or nothing.</summary>
    public string? Violation { get; private set; }

    /// <summary>Searches until a violation, the end, or that many states.</summary>
    /// <returns>Whether every state was visited.</returns>
    public bool Run(int mostStates = int.MaxValue)
    {
        var first = new ModelState { Left = budget, Nodes = new ModelNode[nodes] };
        for (var i = 0; i < nodes; i++)
            first.Nodes[i] = new ModelNode { Start = StartId(i, 0) };
        Visit(first);
        try
        {
            while (_open.TryDequeue(out var state))
            {
                if (_seen.Count > mostStates)
                    return false;
                Expand(state);
            }
        }
        catch (ModelViolation violation)
        {
            Violation = violation.Message;
        }
        return true;
    }

    private void Expand(ModelState state)
    {
        var left = state.Left;
        if (left.Ticks > 0)
            Try(state, s => (s.Now, s.Left) = (s.Now + 1, left with { Ticks = left.Ticks - 1 }));
        for (var f = 0; f < state.Flights.Count; f++)
        {
            var flight = f;
            Try(state, s => Land(s, flight, answers: true, stays: false));
            Try(state, s => Land(s, flight, answers: false, stays: false));
            if (left.Duplicates > 0)
            {
                Try(
                    state,
                    s =>
                    {
                        s.Left = left with { Duplicates = left.Duplicates - 1 };
                        Land(s, flight, answers: true, stays: true);
                    }
                );
            }
        }
        for (var n = 0; n < nodes; n++)
        {
            var (i, node) = (n, state.Nodes[n]);
            if (node.Read < state.Log.Count)
                Try(state, s => ReadOne(s, s.Nodes[i]));
            if (left.Claims > 0 && node.Known.Phase != LogPhase.Ended)
            {
                Try(
                    state,
                    s =>
                    {
                        s.Left = left with { Claims = left.Claims - 1 };
                        Claim(s, i);
                    }
                );
            }

            if (node.Leads && node.Contiguity.IsWhole && left.Entries > 0)
            {
                Try(
                    state,
                    s =>
                    {
                        s.Left = left with { Entries = left.Entries - 1 };
                        Propose(s, i);
                    }
                );
            }

            if (node.Leads && node.Contiguity.IsWhole && left.Beats > 0)
            {
                Try(
                    state,
                    s =>
                    {
                        s.Left = left with { Beats = left.Beats - 1 };
                        SendAsLeader(s, i, LogRecord.BeatOf(s.Nodes[i].Sent, s.Left.Beats));
                    }
                );
            }

            if (left.Crashes > 0)
            {
                Try(
                    state,
                    s =>
                    {
                        s.Left = left with { Crashes = left.Crashes - 1 };
                        s.Nodes[i] = new ModelNode { Start = StartId(i, left.Crashes), Heard = s.Now };
                    }
                );
            }
        }
    }

    private void Try(ModelState from, Action<ModelState> step)
    {
        Steps++;
        var state = from.Copy();
        step(state);
        foreach (var node in state.Nodes)
            Acknowledge(state, node);
        foreach (var node in state.Nodes)
            Check(state, node);
        Visit(state);
    }

    private void Visit(ModelState state)
    {
        if (_seen.Add(state.Fingerprint()))
            _open.Enqueue(state);
    }

    private void Claim(ModelState state, int i)
    {
        var node = state.Nodes[i];
        node.Leads = false;
        node.Contiguity.Break();
        node.Waiting.Clear();
        var claim = LogRecord.Claim(node.Known, node.Start, "n");
        var number = _records.NumberOf(claim);
        node.Waiting.Add(new(state.Flown, number, state.Now, -1));
        state.Flights.Add(new(number, i, state.Flown++));
    }

    private void Propose(ModelState state, int i)
    {
        var node = state.Nodes[i];
        // No two proposals have the same bytes, as no two transactions have.
        SendAsLeader(state, i, LogRecord.Entry(node.Sent, [(byte)i, (byte)state.Left.Entries], isLast: true));
        if (bug == PlantedBug.PublishedBeforeAcceptance)
            node.Published = node.Sent.Transaction;
    }

    private void SendAsLeader(ModelState state, int i, LogRecord record)
    {
        var node = state.Nodes[i];
        WeakAutomaton.Step(bug, node.Sent, record, out node.Sent);
        var number = _records.NumberOf(record);
        node.Waiting.Add(new(state.Flown, number, state.Now, -1));
        state.Flights.Add(new(number, i, state.Flown++));
        if (bug == PlantedBug.UnknownAnswerTakenForLanded)
            TakeAnswers(state, node);
    }

    private void Land(ModelState state, int f, bool answers, bool stays)
    {
        var flight = state.Flights[f];
        var place = state.Log.Count;
        state.Log.Add(flight.Record);
        var record = _records[flight.Record];
        var before = state.Truth;
        if (WeakAutomaton.Step(bug, before, record, out state.Truth))
        {
            if (record.Kind == RecordKind.Claim && record.Epoch != before.Epoch + 1)
                throw new ModelViolation($"an accepted claim took the epoch from {before.Epoch} to {record.Epoch}");
            if (record.Kind == RecordKind.Entry)
            {
                if (record.Transaction != state.Accepted.Count + 1)
                {
                    throw new ModelViolation(
                        $"transaction {record.Transaction} was accepted after {state.Accepted.Count}"
                    );
                }

                if (record.Start != before.Leader || record.Epoch != before.Epoch)
                {
                    throw new ModelViolation(
                        $"an entry of epoch {record.Epoch} was accepted in {before.Epoch}, from a process that does not lead"
                    );
                }

                state.Accepted.Add(flight.Record);
            }
        }
        if (!stays)
            state.Flights.RemoveAt(f);
        var node = state.Nodes[flight.Owner];
        var waiting = node.Waiting.FindIndex(w => w.Flight == flight.Number && w.Place < 0);
        if (!answers || waiting < 0)
            return;
        node.Waiting[waiting] = node.Waiting[waiting] with { Place = place };
        if (node.Leads)
        {
            TakeAnswers(state, node);
        }
        else if (bug == PlantedBug.LedBeforeReadingTheClaim && record.Kind == RecordKind.Claim)
        {
            node.Leads = true;
            WeakAutomaton.Step(bug, node.Known, record, out node.Sent);
            node.Contiguity.Begin(place + 1);
            node.Waiting.Clear();
        }
    }

    private void TakeAnswers(ModelState state, ModelNode node)
    {
        while (node.Waiting.Count > 0 && (node.Waiting[0].Place >= 0 || bug == PlantedBug.UnknownAnswerTakenForLanded))
        {
            var (_, number, sentAt, place) = node.Waiting[0];
            var answer = bug == PlantedBug.UnknownAnswerTakenForLanded && place < 0 ? node.Contiguity.Next : place;
            var certain = node.Contiguity.Take(AppendAnswer.At(answer));
            node.Waiting.RemoveAt(0);
            if (byTail || !(certain || bug == PlantedBug.AcknowledgedWithoutContiguity))
                continue;
            BeCertain(state, node, number, bug == PlantedBug.LeaseFromTheAnswer ? state.Now : sentAt);
        }
    }

    private void BeCertain(ModelState state, ModelNode node, int number, int sentAt)
    {
        node.Lease.Renew(TimeSpan.FromSeconds(sentAt));
        if (_records[number].Kind == RecordKind.Entry && _records[number].Transaction >= node.Published)
        {
            node.Published = _records[number].Transaction + 1;
            node.Certain.Add(number);
        }
    }

    private void ReadOne(ModelState state, ModelNode node)
    {
        var number = state.Log[node.Read++];
        var (record, before) = (_records[number], node.Known);
        if (!WeakAutomaton.Step(bug, before, record, out node.Known))
            return;
        var own = record.Start == node.Start;
        if (!own)
            node.Heard = state.Now;
        if (record.Kind == RecordKind.Claim)
        {
            node.Waiting.Clear();
            node.Leads = own;
            node.Contiguity.Break();
            if (!own)
            {
                node.Lease.GiveUp();
                return;
            }
            if (bug != PlantedBug.AcknowledgedDuringTheOldLease)
                node.Lease.Claimed(TimeSpan.FromSeconds(node.Heard), before, node.Start);
            node.Contiguity.Begin(node.Read);
            node.Sent = node.Known;
            return;
        }
        var sent = node.Waiting.FindIndex(w => w.Record == number);
        if (own && byTail && sent >= 0)
        {
            BeCertain(
                state,
                node,
                number,
                bug == PlantedBug.LeaseFromTheAnswer ? state.Now : node.Waiting[sent].SentAt
            );
            node.Waiting.RemoveAt(sent);
        }
        if (record.Kind == RecordKind.Entry && record.Transaction >= node.Published)
            node.Published = record.Transaction + 1;
    }

    private void Acknowledge(ModelState state, ModelNode node)
    {
        if (
            node.Certain.Count == 0
            || !(
                node.Lease.MayAcknowledge(TimeSpan.FromSeconds(state.Now))
                || bug == PlantedBug.AcknowledgedDuringTheOldLease
            )
        )
        {
            return;
        }

        foreach (var number in node.Certain)
        {
            if (!state.Accepted.Contains(number))
            {
                throw new ModelViolation(
                    $"transaction {_records[number].Transaction} was acknowledged and is not in the log"
                );
            }

            state.Acknowledged = Math.Max(state.Acknowledged, _records[number].Transaction);
        }
        node.Certain.Clear();
    }

    private static void Check(ModelState state, ModelNode node)
    {
        if (node.Published > state.Truth.Transaction)
            throw new ModelViolation($"readers see transaction {node.Published - 1}, which is not accepted");
        if (node.Lease.MayRead(TimeSpan.FromSeconds(state.Now)) && node.Published <= state.Acknowledged)
        {
            throw new ModelViolation(
                $"a leader with a lease does not show transaction {state.Acknowledged}, which was acknowledged"
            );
        }
    }

    private static Guid StartId(int node, int life) => new(node + 1, (short)life, 0, new byte[8]);
}
