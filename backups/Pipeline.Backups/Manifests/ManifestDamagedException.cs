namespace Pipeline.Backups.Manifests;

/// <summary>A manifest cannot be used.</summary>
/// <param name="destination">The destination that stores it.</param>
/// <param name="name">Its name.</param>
/// <param name="reason">What is wrong with it.</param>
public sealed class ManifestDamagedException(string destination, string name, string reason)
    : BackupException($"{destination}: {name} {reason}. The backup cannot be used; others are not affected.")
{
    /// <summary>The manifest's name.</summary>
    public string Name { get; } = name;
}
