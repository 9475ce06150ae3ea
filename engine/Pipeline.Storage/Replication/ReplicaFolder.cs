namespace Pipeline.Storage;

/// <summary>
/// Tells the folder of a cluster's node from that of a store that is alone. What a node's store takes without its log,
/// no other node ever gets, and the node itself gives it up when it follows the log again.
/// </summary>
public static class ReplicaFolder
{
    /// <summary>The file beside the store that keeps how far its node has read the log.</summary>
    public const string PositionName = "log.position";

    /// <summary>Whether the store in a folder is, or was, that of a cluster's node.</summary>
    /// <param name="folder">The store's folder.</param>
    public static bool IsReplica(string folder) => File.Exists(Path.Combine(folder, PositionName));
}
