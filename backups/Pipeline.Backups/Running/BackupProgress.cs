namespace Pipeline.Backups.Running;

/// <summary>How far a backup or a restore is.</summary>
/// <param name="Stage">What is being done.</param>
/// <param name="Done">Bytes of the content that are done.</param>
/// <param name="Total">Bytes that there are; 0 where that is not known.</param>
/// <param name="Sent">Bytes sent or fetched so far.</param>
public readonly record struct BackupProgress(string Stage, long Done, long Total, long Sent);
