namespace Pipeline.Backups;

/// <summary>Is told when a service's backups begin and end, in the order of the runs.</summary>
internal interface IBackupWatcher
{
    /// <summary>A backup begins. It contains all that the database has when this completes.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="ct">Cancels the run.</param>
    Task BeginAsync(string name, CancellationToken ct);

    /// <summary>A backup has ended.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="isWhole">Whether it exists at every destination now.</param>
    Task EndAsync(string name, bool isWhole);
}
