namespace Pipeline.Backups.Running;

/// <summary>The progress of a backup or a restore.</summary>
/// <param name="Stage">The current step.</param>
/// <param name="Done">Bytes of content processed.</param>
/// <param name="Total">All bytes of content; 0 if unknown.</param>
/// <param name="Sent">Bytes sent or fetched so far.</param>
public readonly record struct BackupProgress(string Stage, long Done, long Total, long Sent);
