namespace Pipeline.Backups.Drills;

/// <summary>The result of a verification at one destination.</summary>
/// <param name="Destination">Kind and place.</param>
/// <param name="Backups">Backups checked.</param>
/// <param name="Chunks">Chunks read.</param>
/// <param name="Bytes">Bytes of their contents.</param>
/// <param name="Problems">What is wrong; empty if nothing is.</param>
/// <param name="Removed">Damaged chunks that were removed, so that the next full backup sends them again.</param>
public sealed record VerifyReport(
    string Destination,
    int Backups,
    int Chunks,
    long Bytes,
    IReadOnlyList<string> Problems,
    int Removed
)
{
    /// <summary>Whether nothing is wrong.</summary>
    public bool IsSound => Problems.Count == 0;
}
