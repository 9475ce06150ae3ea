namespace Pipeline.Cluster.Tests.Model;

/// <summary>How often each thing may still happen.</summary>
internal readonly record struct MoveBudget(
    int Claims,
    int Entries,
    int Ends,
    int Begins,
    int Joins,
    int Crashes = 0,
    int Wipes = 0,
    int Losses = 0
);

/// <summary>A node: its process, and what its disk has.</summary>
internal sealed class MoveNode
{
    /// <summary>The number of the log that it follows.</summary>
    public int Log;

    /// <summary>How far the process has read, and what its disk says of that.</summary>
    public ReadPosition Known = ReadPosition.Start,
        Kept = ReadPosition.Start;

    /// <summary>The entries in the store, in order; the first <see cref="Disk"/> of them survive a crash.</summary>
    public List<int> Store = [];

    public int Disk;

    /// <summary>The log that <see cref="Kept"/> is of.</summary>
    public int KeptLog;

    /// <summary>Changes with each start of a process that has claimed; only then does anybody know the one before.</summary>
    public int Life;

    public bool HasClaimed;

    /// <summary>Whether the process waits for a person.</summary>
    public bool IsHalted;

    public MoveNode Copy()
    {
        var copy = (MoveNode)MemberwiseClone();
        copy.Store = [.. Store];
        return copy;
    }
}

/// <summary>A log: its records, the state behind them, and the history of its stores.</summary>
internal sealed class MoveLog
{
    public List<int> Records = [];
    public AutomatonState Truth = AutomatonState.Start;

    /// <summary>The entries of the store that the log began with, and then the accepted ones.</summary>
    public List<int> History = [];

    public MoveLog Copy()
    {
        var copy = (MoveLog)MemberwiseClone();
        copy.Records = [.. Records];
        copy.History = [.. History];
        return copy;
    }
}

/// <summary>A moment of the search for faults of moving: logs, nodes, and how much may still happen.</summary>
internal sealed class MoveState
{
    public MoveLog[] Logs = [];
    public MoveNode[] Nodes = [];
    public MoveBudget Left;

    public MoveState Copy() =>
        new()
        {
            Left = Left,
            Logs = [.. Logs.Select(l => l.Copy())],
            Nodes = [.. Nodes.Select(n => n.Copy())],
        };

    /// <summary>A fingerprint of all that decides what can follow.</summary>
    public UInt128 Fingerprint()
    {
        var words = new List<long>
        {
            Left.Claims,
            Left.Entries,
            Left.Ends,
            Left.Begins,
            Left.Joins,
            Left.Crashes,
            Left.Wipes,
            Left.Losses,
        };
        foreach (var log in Logs)
        {
            words.Add(-1);
            words.AddRange(log.Records.Select(r => (long)r));
        }
        foreach (var node in Nodes)
        {
            words.AddRange([
                -2,
                node.Log,
                node.KeptLog,
                node.Disk,
                node.Life,
                (node.IsHalted ? 1 : 0) + (node.HasClaimed ? 2 : 0),
            ]);
            words.AddRange([node.Known.Place, node.Known.State.GetHashCode(), node.Known.LastRead.GetHashCode()]);
            words.AddRange([node.Kept.Place, node.Kept.State.GetHashCode(), node.Kept.LastRead.GetHashCode(), -3]);
            words.AddRange(node.Store.Select(e => (long)e));
        }
        return ModelRecords.Fingerprint(words);
    }
}
