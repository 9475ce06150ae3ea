namespace Pipeline.Storage;

/// <summary>How far a compaction is.</summary>
/// <param name="PagesMoved">Pages moved up to now.</param>
/// <param name="PageCount">Pages up to the highest that is in use.</param>
/// <param name="UsedPages">Pages in use: what the page count can come down to.</param>
public sealed record CompactionProgress(long PagesMoved, long PageCount, long UsedPages);
