namespace Pipeline.Cluster.Tests.Model;

/// <summary>
/// Visits every state in which a few nodes can be while logs end and begin, nodes crash, are wiped, filled, and started
/// with any log. It runs the shipped automaton and the shipped rules of beginning. In each state, all stores that follow
/// a log are prefixes of one history, and a log that was begun without a loss has all that was accepted before it.
/// </summary>
/// <remarks>
/// What a leader sends lands at once, but a leader may know an old state of its log. Records that land late are what
/// <see cref="ExhaustiveSearch"/> is for.
/// </remarks>
internal sealed class MoveSearch(int nodes, int logs, MoveBudget budget, MoveBug bug, bool stranger = false)
{
    private readonly HashSet<UInt128> _seen = [];
    private readonly ModelRecords _records = new();
    private readonly Queue<MoveState> _open = new();

    public int States => _seen.Count;

    /// <summary>What went wrong first, or nothing.</summary>
    public string? Violation { get; private set; }

    /// <summary>In how many states two nodes have transactions and follow logs that began later.</summary>
    public int Moved { get; private set; }

    /// <summary>Searches until a violation, the end, or that many states.</summary>
    /// <returns>Whether every state was visited.</returns>
    public bool Run(int mostStates)
    {
        var first = new MoveState
        {
            Left = budget,
            Logs = [.. Enumerable.Range(0, logs).Select(_ => new MoveLog())],
            Nodes = [.. Enumerable.Range(0, nodes).Select(_ => new MoveNode())],
        };
        Begin(first);
        Visit(first);
        try
        {
            while (_open.TryDequeue(out var state))
            {
                if (_seen.Count > mostStates)
                    return false;
                for (var i = 0; i < nodes; i++)
                    Expand(state, i);
            }
        }
        catch (ModelViolation violation)
        {
            Violation = violation.Message;
        }
        return true;
    }

    /// <summary>
    /// A node leads the first log, and one transaction is accepted: what comes before is no move. A stranger has read
    /// the end of a log of its own, with as many transactions.
    /// </summary>
    private void Begin(MoveState state)
    {
        Lead(state, 0);
        if (!stranger)
            return;
        var node = state.Nodes[1];
        node.Log = 1;
        Lead(state, 1);
        Append(state, 1, LogRecord.NextLog(node.Known.State, "next"));
        ReadAll(state, node, 1);
    }

    private void Lead(MoveState state, int i)
    {
        var node = state.Nodes[i];
        Claim(state, node, i);
        ReadAll(state, node, i);
        Append(state, node.Log, LogRecord.Entry(node.Known.State, [(byte)i], isLast: true));
        ReadAll(state, node, i);
    }

    private void Expand(MoveState state, int i)
    {
        var (node, left) = (state.Nodes[i], state.Left);
        var log = state.Logs[node.Log];
        if (!node.IsHalted)
        {
            if (node.Known.Place < log.Records.Count)
                Try(state, i, left, ReadAll);
            if (node.Known != node.Kept || node.Disk < node.Store.Count)
                Try(state, i, left, (_, n, _) => Keep(n));
            if (node.Disk < node.Store.Count)
                Try(state, i, left, (_, n, _) => n.Disk = n.Store.Count);
            // A store that is ahead of its log takes part in no election.
            if (
                left.Claims > 0
                && node.Known.State.Phase != LogPhase.Ended
                && node.Known.State.Transaction > node.Store.Count
            )
            {
                Try(state, i, left with { Claims = left.Claims - 1 }, Claim);
            }
            var leads = node.Known.State.Phase == LogPhase.Led && node.Known.State.Leader == StartOf(node, i);
            if (leads && left.Entries > 0)
            {
                byte[] payload = [(byte)(nodes + i), (byte)left.Entries];
                Try(
                    state,
                    i,
                    left with
                    {
                        Entries = left.Entries - 1,
                    },
                    (s, n, _) => Append(s, n.Log, LogRecord.Entry(n.Known.State, payload, isLast: true))
                );
            }
            if (leads && left.Ends > 0)
            {
                Try(
                    state,
                    i,
                    left with
                    {
                        Ends = left.Ends - 1,
                    },
                    (s, n, _) => Append(s, n.Log, LogRecord.NextLog(n.Known.State, "next"))
                );
            }
        }
        if (left.Crashes > 0)
            Try(state, i, left with { Crashes = left.Crashes - 1 }, (s, n, _) => Restart(s, n));
        if (left.Wipes > 0)
            Try(state, i, left with { Wipes = left.Wipes - 1 }, (s, n, _) => Wipe(s, n));
        for (var l = 0; l < logs; l++)
        {
            var target = l;
            if (left.Begins > 0 && target > node.Log)
                Try(state, i, left with { Begins = left.Begins - 1 }, (s, n, x) => Begin(s, n, x, target));
            if (left.Joins > 0 && target != node.Log)
                Try(state, i, left with { Joins = left.Joins - 1 }, (s, n, x) => Join(s, n, x, target));
        }
    }

    private void Try(MoveState from, int i, MoveBudget left, Action<MoveState, MoveNode, int> step)
    {
        var state = from.Copy();
        state.Left = left;
        step(state, state.Nodes[i], i);
        Check(state, state.Nodes[i]);
        Visit(state);
    }

    private void Visit(MoveState state)
    {
        if (!_seen.Add(state.Fingerprint()))
            return;
        _open.Enqueue(state);
        if (state.Nodes.Count(n => n.Log > 0 && !n.IsHalted && n.Store.Count > 0) > 1)
            Moved++;
    }

    private void Claim(MoveState state, MoveNode node, int i)
    {
        Append(state, node.Log, LogRecord.Claim(node.Known.State, StartOf(node, i), Name(i)));
        node.HasClaimed = true;
    }

    private void Append(MoveState state, int l, LogRecord record)
    {
        var number = _records.NumberOf(record);
        var log = state.Logs[l];
        log.Records.Add(number);
        if (Pipeline.Cluster.Automaton.Step(log.Truth, record, out log.Truth) && record.Kind == RecordKind.Entry)
            log.History.Add(number);
    }

    /// <summary>A node that reads after each append stops at any place, so it need not stop here.</summary>
    private void ReadAll(MoveState state, MoveNode node, int i)
    {
        while (!node.IsHalted && node.Known.Place < state.Logs[node.Log].Records.Count)
            ReadOne(state, node, i);
    }

    private void ReadOne(MoveState state, MoveNode node, int i)
    {
        var number = state.Logs[node.Log].Records[(int)node.Known.Place];
        var (record, before) = (_records[number], node.Known.State);
        var accepted = Pipeline.Cluster.Automaton.Step(before, record, out var after);
        node.Known = new ReadPosition(node.Known.Place + 1, after, default(Chain).Append(record.Bytes.Span));
        if (!accepted)
            return;
        switch (record.Kind)
        {
            case RecordKind.Begin when node.Store.Count > 0 ? bug != MoveBug.BeginningTaken : record.Transaction > 1:
                node.IsHalted = true;
                break;
            case RecordKind.Entry when record.Transaction <= node.Store.Count:
                node.IsHalted = node.Store[(int)record.Transaction - 1] != number && bug != MoveBug.NotCompared;
                break;
            case RecordKind.Entry when record.Transaction == node.Store.Count + 1:
                node.Store.Add(number);
                break;
            case RecordKind.Entry:
                throw new ModelViolation(
                    $"node {i} reads transaction {record.Transaction} and has {node.Store.Count} before it"
                );
            case RecordKind.NextLog when bug == MoveBug.KeptBeforeTheDisk:
                (node.Kept, node.KeptLog) = (node.Known, node.Log);
                break;
            case RecordKind.NextLog:
                Keep(node);
                break;
        }
    }

    private static void Keep(MoveNode node) =>
        (node.Disk, node.Kept, node.KeptLog) = (node.Store.Count, node.Known, node.Log);

    /// <summary>
    /// A process starts with its disk, and checks that the log has what the disk's position says was read.
    /// </summary>
    private void Restart(MoveState state, MoveNode node)
    {
        node.Store.RemoveRange(node.Disk, node.Store.Count - node.Disk);
        (node.Known, node.IsHalted) = (node.Kept, false);
        if (node.HasClaimed)
            (node.Life, node.HasClaimed) = (node.Life + 1, false);
        var (place, records) = ((int)node.Kept.Place, state.Logs[node.Log].Records);
        if (place == 0 || bug == MoveBug.OriginIgnored)
            return;
        node.IsHalted =
            place > records.Count
            || default(Chain).Append(_records[records[place - 1]].Bytes.Span) != node.Kept.LastRead;
    }

    private void Wipe(MoveState state, MoveNode node)
    {
        (node.Disk, node.Kept, node.KeptLog) = (0, ReadPosition.Start, 0);
        Restart(state, node);
    }

    /// <summary>`cluster begin`: appends the record, and in a later call, or this one, keeps the position behind it.</summary>
    private void Begin(MoveState state, MoveNode node, int i, int target)
    {
        Restart(state, node);
        var (log, next) = (state.Logs[target], node.Disk + 1);
        if (!BeginRules.HasReadTheEnd(node.Kept, next) && bug != MoveBug.BegunBeforeTheEnd)
        {
            if (state.Left.Losses == 0)
                return;
            state.Left = state.Left with { Losses = state.Left.Losses - 1 };
        }
        var before = BeginRules.StateBefore(node.Kept, next, StartOf(node, i));
        if (log.Records.Count == 0)
        {
            // The call was cut off here: only the next one keeps the position.
            Append(state, target, LogRecord.Begin(before, Name(i)));
            log.History = [.. node.Store];
            var ended = state.Logs[node.KeptLog].History;
            if (state.Left.Losses == budget.Losses && !ended.SequenceEqual(log.History))
            {
                throw new ModelViolation(
                    $"a log begins with {log.History.Count} transactions, and {ended.Count} were accepted before"
                );
            }
        }
        else if (FirstOf(log) is { } first && BeginRules.IsOf(first, before, Name(i)))
        {
            (node.Kept, node.KeptLog, node.Log) = (BeginRules.PositionBehind(first), target, target);
            Restart(state, node);
        }
    }

    /// <summary>A process is started with another log in its configuration.</summary>
    private void Join(MoveState state, MoveNode node, int i, int target)
    {
        node.Log = target;
        if (FirstOf(state.Logs[target]) is { } first && !IsBehind(node, first))
        {
            if (IsEqual(node, first))
            {
                (node.Kept, node.KeptLog) = (BeginRules.PositionBehind(first), target);
            }
            else if (
                node.Disk == 0
                && Array.Find(state.Nodes, p => p != node && p.Log == target && BeginRules.IsBehind(p.Kept, first))
                    is { } peer
            )
            {
                (node.Store, node.Disk) = ([.. peer.Store.Take(peer.Disk)], peer.Disk);
                (node.Kept, node.KeptLog) = (peer.Kept, target);
            }
        }
        Restart(state, node);
    }

    private bool IsBehind(MoveNode node, in LogRecord first) =>
        BeginRules.IsBehind(node.Kept, first) || (bug == MoveBug.OriginIgnored && node.Kept.Place > 0);

    private bool IsEqual(MoveNode node, in LogRecord first)
    {
        var (position, next) = (node.Kept, node.Disk + 1);
        return bug switch
        {
            MoveBug.GoneOnBeforeTheEnd => next <= first.Transaction && node.Disk > 0,
            MoveBug.ChainIgnored => BeginRules.HasReadTheEnd(position, next) && next == first.Transaction,
            MoveBug.KeptBeforeTheDisk => position.State.Chain == first.Chain && position.State.Phase == LogPhase.Ended,
            _ => BeginRules.IsEqual(position, next, first),
        };
    }

    private LogRecord? FirstOf(MoveLog log) =>
        log.Records.Count > 0 && _records[log.Records[0]] is { Kind: RecordKind.Begin } first ? first : null;

    private static void Check(MoveState state, MoveNode node)
    {
        if (node.IsHalted || node.Known.Place == 0)
            return;
        var history = state.Logs[node.Log].History;
        var known = (int)node.Known.State.Transaction - 1;
        if (node.Store.Count < known)
            throw new ModelViolation($"a node has {node.Store.Count} transactions and has read {known}");
        if (history.Count < known || !history.Take(known).SequenceEqual(node.Store.Take(known)))
            throw new ModelViolation($"two stores of one log differ within {known} transactions");
    }

    private static Guid StartOf(MoveNode node, int i) => new(i + 1, (short)node.Life, (short)node.Log, new byte[8]);

    private static string Name(int i) => $"n{i}";
}
