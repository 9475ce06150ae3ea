using System.Globalization;
using Pipeline.Cluster;
using Pipeline.Database;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// Checks that a node's disk has room for a copy before the node is filled. A node without room keeps its files.
/// </summary>
internal static class CopyRoom
{
    /// <summary>The approximate size in bytes of a copy of a database, with its indexes.</summary>
    /// <param name="database">The database.</param>
    /// <param name="indexes">The stores of its open indexes.</param>
    public static long BytesOf(DocumentDatabase database, IEnumerable<StorageEnvironment> indexes) =>
        indexes.Prepend(database.Storage).Sum(s => s.GetStatistics().UsedBytes);

    /// <summary>Checks that there is room for a copy that replaces the files of the folder.</summary>
    /// <exception cref="ClusterException">There is not enough. Nothing was changed.</exception>
    public static void EnsureRoomToReplace(StorageOptions store, string node, long needed)
    {
        var free = StoreFolder.FilesOf(store).FindFreeBytes(store.Path!) + BytesOf(store.Path!);
        if (free is { } there && there < needed)
        {
            throw new ClusterException(
                $"'{node}' has no room to be filled: the copy needs about {Text(needed)} bytes. The disk of {store.Path} (database.path) has {Text(there)}, including the files that the copy would replace. Free some space, or use a larger disk. The node keeps its files until then."
            );
        }
    }

    /// <summary>Checks that there is room for a copy alongside a folder that is set aside.</summary>
    /// <exception cref="ClusterException">There is not enough. Nothing was changed.</exception>
    public static void EnsureRoomAlongside(IStorageFiles files, string folder, string node, long needed)
    {
        if (files.FindFreeBytes(folder) is { } free && free < needed)
        {
            throw new ClusterException(
                $"'{node}' has no room to be filled: the copy needs about {Text(needed)} bytes on the disk of {folder}, which has {Text(free)} free. Free some space; or stop the node, move the content of {folder} to another disk, and start the node again."
            );
        }
    }

    /// <summary>The total size in bytes of the files in a folder. A file that vanishes meanwhile counts as 0.</summary>
    private static long BytesOf(string folder) =>
        Directory.Exists(folder)
            ? new DirectoryInfo(folder)
                .EnumerateFiles("*", SearchOption.AllDirectories)
                .Sum(static f => f.Exists ? f.Length : 0)
            : 0;

    private static string Text(long bytes) => bytes.ToString("N0", CultureInfo.InvariantCulture);
}
