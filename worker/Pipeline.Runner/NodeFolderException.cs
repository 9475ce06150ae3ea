using Pipeline.Storage;

namespace Pipeline.Runner;

/// <summary>
/// A configuration without a cluster names the folder of a cluster's node. Its writes would not reach the other nodes.
/// </summary>
public sealed class NodeFolderException : WorkerException
{
    /// <summary>Names the folder and the configuration.</summary>
    public NodeFolderException(string folder, string configuration)
        : base(
            $"{folder} is the folder of a cluster's node, and {configuration} has no section 'cluster'. Add the section. To leave the cluster for good, delete {ReplicaFolder.PositionName} in the folder",
            ExitCodes.Usage
        ) => Folder = folder;

    /// <summary>The database's folder.</summary>
    public string Folder { get; }
}
