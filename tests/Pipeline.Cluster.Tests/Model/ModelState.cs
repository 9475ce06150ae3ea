namespace Pipeline.Cluster.Tests.Model;

/// <summary>
/// A moment of the exhaustive search: the log, the records under way, the processes, and how much may still happen.
/// </summary>
internal sealed class ModelState
{
    public List<int> Log = [];
    public List<Flight> Flights = [];
    public ModelNode[] Nodes = [];
    public int Now,
        Flown;
    public Budget Left;

    /// <summary>What the automaton says of the whole log, and the accepted entries in order.</summary>
    public AutomatonState Truth = AutomatonState.Start;

    public List<int> Accepted = [];

    /// <summary>The highest acknowledged transaction.</summary>
    public long Acknowledged;

    public ModelState Copy()
    {
        var copy = (ModelState)MemberwiseClone();
        copy.Log = [.. Log];
        copy.Flights = [.. Flights];
        copy.Nodes = [.. Nodes.Select(n => n.Copy())];
        copy.Accepted = [.. Accepted];
        return copy;
    }

    /// <summary>A fingerprint of all that decides what can follow.</summary>
    public UInt128 Fingerprint()
    {
        var words = new List<long>
        {
            Now,
            Left.Claims,
            Left.Entries,
            Left.Beats,
            Left.Duplicates,
            Left.Ticks,
            Left.Crashes,
            Acknowledged,
        };
        words.AddRange(Log.Select(r => (long)r));
        words.Add(-1);
        foreach (var flight in Flights.Order())
            words.Add(((long)flight.Record << 32) | (uint)flight.Owner);
        foreach (var node in Nodes)
        {
            words.AddRange([
                -2,
                node.Read,
                node.Leads ? 1 : 0,
                node.Published,
                node.Contiguity.IsWhole ? node.Contiguity.Next : -3,
                node.Start.GetHashCode(),
            ]);
            words.AddRange([
                node.Sent.Transaction,
                node.Sent.Chain.GetHashCode(),
                node.Lease.WaitsUntil.Ticks,
                node.Heard,
                node.Lease.MayRead(TimeSpan.FromSeconds(Now)) ? 1 : 0,
                node.Lease.MayRead(TimeSpan.FromSeconds(Now + 1)) ? 1 : 0,
            ]);
            foreach (var pending in node.Waiting)
            {
                words.AddRange([
                    pending.Record,
                    pending.SentAt,
                    pending.Place,
                    Flights.Exists(f => f.Number == pending.Flight) ? 1 : 0,
                ]);
            }

            words.Add(-4);
            words.AddRange(node.Certain.Select(c => (long)c));
        }
        return ModelRecords.Fingerprint(words);
    }

    /// <summary>A record that may land at any time.</summary>
    internal readonly record struct Flight(int Record, int Owner, int Number) : IComparable<Flight>
    {
        public int CompareTo(Flight other) =>
            (Record, Owner, Number).CompareTo((other.Record, other.Owner, other.Number));
    }
}
