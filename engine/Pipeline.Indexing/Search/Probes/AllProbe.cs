namespace Pipeline.Indexing;

/// <summary>Has each of several probes' entries, and none of some others'.</summary>
internal sealed class AllProbe(EntryProbe[] all, EntryProbe[] none) : EntryProbe
{
    public override bool Contains(int entry)
    {
        foreach (var probe in all)
        {
            if (!probe.Contains(entry))
                return false;
        }

        foreach (var probe in none)
        {
            if (probe.Contains(entry))
                return false;
        }

        return true;
    }
}
