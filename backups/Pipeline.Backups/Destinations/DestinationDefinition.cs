namespace Pipeline.Backups.Destinations;

/// <summary>A configured destination of backups.</summary>
public abstract record DestinationDefinition
{
    /// <summary>Whether it is another machine, so that parallel sending raises the throughput.</summary>
    public virtual bool IsRemote => true;

    /// <summary>Creates the destination for a backup name. Does not connect yet.</summary>
    /// <param name="name">The backup's name, which is the folder of all its objects.</param>
    /// <param name="time">The clock.</param>
    public abstract IBackupDestination Create(string name, TimeProvider time);
}
