namespace Pipeline.Database.Queries.Results;

/// <summary>ETags of results: the same as long as nothing has changed of which they are made, in this process and the next.</summary>
internal static class ResultETag
{
    /// <summary>Mixes numbers to one (the finalizer of SplitMix64, G. Steele and others, 2014).</summary>
    internal static long Of(params ReadOnlySpan<long> parts)
    {
        ulong mixed = 0;
        foreach (long part in parts)
        {
            ulong z = (mixed ^ (ulong)part) + 0x9E3779B97F4A7C15;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
            mixed = z ^ (z >> 31);
        }

        return (long)mixed;
    }
}
