namespace Pipeline.Storage;

/// <summary>
/// Recognizes the folder of a cluster's node. A write to a node's store without its log reaches no other node, and the
/// node discards it when it follows the log again. So <see cref="StorageEnvironment.Open"/> refuses the folder without
/// <see cref="StorageOptions.IsReplica"/>.
/// </summary>
public static class ReplicaFolder
{
    /// <summary>The file in the folder of a store that holds the position up to which its node has read the log.</summary>
    public const string PositionName = "log.position";

    /// <summary>Whether the store in a folder is, or was, that of a cluster's node.</summary>
    /// <param name="folder">The store's folder.</param>
    public static bool IsReplica(string folder) => File.Exists(Path.Combine(folder, PositionName));
}

/// <summary>
/// The store is that of a cluster's node, and was opened on its own. Its writes would reach no other node. Nothing was
/// changed.
/// </summary>
public sealed class ReplicaFolderException(string path)
    : StorageException(
        $"{path} is the folder of a cluster's node. Open it with the section 'cluster' in its configuration (StorageOptions.IsReplica). To leave the cluster for good, delete {ReplicaFolder.PositionName} in the folder."
    )
{
    /// <summary>The folder.</summary>
    public string Path { get; } = path;
}
