namespace Pipeline.Backups;

/// <summary>A backup, restore or related operation failed; the message says where and what to do.</summary>
public class BackupException : Exception
{
    /// <summary>Creates the error.</summary>
    public BackupException(string message, Exception? cause = null)
        : base(message, cause) { }
}
