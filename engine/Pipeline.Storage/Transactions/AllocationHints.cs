namespace Pipeline.Storage;

/// <summary>Where the search for free pages continues; only speed depends on it.</summary>
internal sealed class AllocationHints
{
    /// <summary>Below this page there is probably no free one.</summary>
    public long Single { get; set; }

    /// <summary>Where the search for runs continues.</summary>
    public long Run { get; set; }

    /// <summary>A copy, for rollback.</summary>
    public AllocationHints Copy() => new() { Single = Single, Run = Run };

    /// <summary>Takes over the values of a copy.</summary>
    public void Restore(AllocationHints copy) => (Single, Run) = (copy.Single, copy.Run);
}
