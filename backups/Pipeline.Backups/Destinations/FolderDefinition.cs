namespace Pipeline.Backups.Destinations;

/// <summary>A folder.</summary>
/// <param name="Path">Its path.</param>
public sealed record FolderDefinition(string Path) : DestinationDefinition
{
    /// <inheritdoc/>
    public override bool IsRemote => false;

    /// <inheritdoc/>
    public override IBackupDestination Create(string name, TimeProvider time) =>
        new FolderDestination(System.IO.Path.Combine(Path, name));
}
