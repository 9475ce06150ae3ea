namespace Pipeline.Backups.Destinations;

/// <summary>Where backups go, as it was configured.</summary>
public abstract record DestinationDefinition
{
    /// <summary>Whether it is another machine, to which more goes when more is sent at once.</summary>
    public virtual bool IsRemote => true;

    /// <summary>Makes the destination of one backup name. Connects to nothing yet.</summary>
    /// <param name="name">The backup's name, under which all its objects lie.</param>
    /// <param name="time">The clock.</param>
    public abstract IBackupDestination Create(string name, TimeProvider time);
}
