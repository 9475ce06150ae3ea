using System.Text;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// The file in a database's folder that names the node to which the folder belongs. Under another name the same store
/// would be another member: the old one would stay a member that never answers, and hold the log back.
/// </summary>
internal static class NodeNameFile
{
    /// <summary>The file's name. It holds the node's name as UTF-8, and a line end.</summary>
    public const string Name = "node.name";

    /// <summary>The node that a folder belongs to; null if no node has claimed it.</summary>
    public static string? Find(string folder)
    {
        var path = Path.Combine(folder, Name);
        return File.Exists(path) && File.ReadAllText(path).Trim() is { Length: > 0 } name ? name : null;
    }

    /// <summary>Checks that a folder belongs to a node, or to none yet.</summary>
    /// <exception cref="ClusterException">It belongs to another node.</exception>
    public static void Check(string folder, string node)
    {
        if (Find(folder) is not { } owner || owner == node)
            return;
        throw new ClusterException(
            $"the folder {folder} (database.path) belongs to the node '{owner}', but cluster.node is '{node}'. Set cluster.node to '{owner}' if the name is wrong. To add the node '{node}', choose an empty folder. To rename '{owner}', stop it, delete {Path.Combine(folder, Name)}, start '{node}', and run 'pipeline cluster remove {owner}'.",
            isUsage: true
        );
    }

    /// <summary>Records durably that a folder belongs to a node. The caller has the folder's store open.</summary>
    public static void Write(string folder, string node)
    {
        if (Find(folder) == node)
            return;
        var path = Path.Combine(folder, Name);
        // A crash must not leave half a name, which would be another node's.
        using (var file = new FileStream(path + ".new", FileMode.Create, FileAccess.Write))
        {
            file.Write(Encoding.UTF8.GetBytes(node + "\n"));
            file.Flush(flushToDisk: true);
        }
        NativeStorageFiles.Instance.Move(path + ".new", path);
        NativeStorageFiles.Instance.SyncDirectory(folder);
    }
}
