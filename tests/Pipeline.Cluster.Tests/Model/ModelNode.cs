namespace Pipeline.Cluster.Tests.Model;

/// <summary>
/// A process of the exhaustive search. It holds the records that it has read and its state as a leader. The rules
/// are those of the shipped structs.
/// </summary>
internal sealed class ModelNode
{
    public Guid Start;
    public int Read;
    public AutomatonState Known = AutomatonState.Start;
    public bool Leads;

    /// <summary>The state after all that this leader has sent.</summary>
    public AutomatonState Sent;

    public Contiguity Contiguity;
    public LeaseClock Lease = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));

    /// <summary>When it last read an accepted record of another process, or began.</summary>
    public int Heard;

    /// <summary>The transactions that this process shows to readers: those before this number.</summary>
    public long Published = 1;

    /// <summary>What it sent since its claim, in order, until the answer is known.</summary>
    public List<Pending> Waiting = [];

    /// <summary>The entries that it knows to be accepted and has not acknowledged yet.</summary>
    public List<int> Certain = [];

    public ModelNode Copy()
    {
        var copy = (ModelNode)MemberwiseClone();
        copy.Waiting = [.. Waiting];
        copy.Certain = [.. Certain];
        return copy;
    }

    /// <summary>A record under way, with the answer to its append if there is one.</summary>
    /// <param name="Flight">Which flight.</param>
    /// <param name="Record">Which record.</param>
    /// <param name="SentAt">When it was sent.</param>
    /// <param name="Place">Where it landed, or −1 while no answer is there.</param>
    internal readonly record struct Pending(int Flight, int Record, int SentAt, int Place);
}

/// <summary>An invariant does not hold.</summary>
internal sealed class ModelViolation(string message) : Exception(message);
