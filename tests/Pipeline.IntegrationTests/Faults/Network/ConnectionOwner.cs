using System.Globalization;

namespace Pipeline.IntegrationTests.Faults.Network;

/// <summary>
/// Finds the process that holds one end of a connection on this machine, in <c>/proc</c>. So one proxy before a node can
/// tell its callers apart, although all of them know the same address.
/// </summary>
internal static class ConnectionOwner
{
    private static readonly string[] Tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

    /// <summary>The process that connected from a port; null if it is none of these, or has closed the connection.</summary>
    public static int? Find(int port, IReadOnlyList<int> processes)
    {
        if (FindInode(port) is not { } inode)
            return null;
        var wanted = $"socket:[{inode}]";
        foreach (var process in processes)
        {
            try
            {
                if (
                    new DirectoryInfo($"/proc/{process}/fd").EnumerateFileSystemInfos().Any(f => f.LinkTarget == wanted)
                )
                {
                    return process;
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                continue; // it has ended
            }
        }
        return null;
    }

    private static string? FindInode(int port)
    {
        var wanted = ":" + port.ToString("X4", CultureInfo.InvariantCulture);
        foreach (var table in Tables.Where(File.Exists))
        {
            foreach (var line in File.ReadLines(table).Skip(1))
            {
                // sl local remote state queues timer retransmits uid timeout inode
                var columns = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
                if (columns.Length > 9 && columns[1].EndsWith(wanted, StringComparison.Ordinal) && columns[9] != "0")
                    return columns[9];
            }
        }
        return null;
    }
}
