namespace Pipeline.Backups.Drills;

/// <summary>What a verification found at one destination.</summary>
/// <param name="Destination">Kind and place.</param>
/// <param name="Backups">Backups looked at.</param>
/// <param name="Chunks">Chunks read.</param>
/// <param name="Bytes">Bytes of their contents.</param>
/// <param name="Problems">What is wrong; empty where all is well.</param>
/// <param name="Mended">Damaged chunks that were taken away, so that the next full backup sends them again.</param>
public sealed record VerifyReport(string Destination, int Backups, int Chunks, long Bytes, IReadOnlyList<string> Problems, int Mended)
{
    /// <summary>Whether all is well.</summary>
    public bool IsSound => Problems.Count == 0;
}
