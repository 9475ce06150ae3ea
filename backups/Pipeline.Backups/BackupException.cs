namespace Pipeline.Backups;

/// <summary>A backup, a restore or what belongs to them failed; the message says where and what to do.</summary>
public class BackupException : Exception
{
    /// <summary>Says what went wrong.</summary>
    public BackupException(string message, Exception? cause = null) : base(message, cause)
    {
    }
}
