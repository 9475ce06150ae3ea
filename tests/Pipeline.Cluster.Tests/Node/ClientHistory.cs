namespace Pipeline.Cluster.Tests.Node;

/// <summary>What the clients of a run were told.</summary>
/// <param name="accepted">The number of transactions that the log has accepted.</param>
internal sealed class ClientHistory(Func<long> accepted)
{
    public Dictionary<long, string> Acknowledged { get; } = [];

    /// <summary>Writes that were reported to a client as not done.</summary>
    public List<string> Refused { get; } = [];

    /// <summary>The last transaction that any finished call wrote or saw.</summary>
    public long Seen { get; set; }

    public int Writes { get; set; }

    public int Reads { get; set; }

    /// <summary>Reads among them that the log has confirmed.</summary>
    public int ConfirmedReads { get; set; }

    public Func<long> Accepted { get; } = accepted;
}
