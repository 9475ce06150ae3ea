namespace Pipeline.Storage;

/// <summary>The result of a check of a whole store.</summary>
/// <param name="Transaction">The snapshot that was checked.</param>
/// <param name="PageCount">Pages up to the highest ever used.</param>
/// <param name="FreePages">Free pages among them.</param>
/// <param name="Trees">One report a tree, the catalog's first.</param>
/// <param name="Problems">The problems; empty if everything is sound. At most a few hundred are kept.</param>
public sealed record StorageReport(
    long Transaction,
    long PageCount,
    long FreePages,
    IReadOnlyList<TreeReport> Trees,
    IReadOnlyList<TreeProblem> Problems
)
{
    /// <summary>Whether nothing is wrong.</summary>
    public bool IsSound => Problems.Count == 0 && StoreProblems.Count == 0;

    /// <summary>Problems of meta pages and journal; found only if the store is examined without being opened.</summary>
    public IReadOnlyList<StorageProblem> StoreProblems { get; init; } = [];

    /// <summary>How many problems there are, with those that are not kept.</summary>
    public long ProblemCount { get; init; }
}
