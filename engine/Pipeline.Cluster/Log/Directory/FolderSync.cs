using System.Runtime.InteropServices;
using System.Text;

namespace Pipeline.Cluster;

/// <summary>Makes the names in a folder durable, for which the framework has no call.</summary>
internal static class FolderSync
{
    /// <summary>Syncs a folder. On Windows, names are durable with the file.</summary>
    public static void Sync(string folder)
    {
        if (OperatingSystem.IsWindows())
            return;
        var descriptor = Open([.. Encoding.UTF8.GetBytes(folder), 0], 0);
        if (descriptor < 0)
            throw new IOException($"'{folder}' cannot be opened to sync it (error {Marshal.GetLastPInvokeError()}).");
        var result = FSync(descriptor);
        var error = Marshal.GetLastPInvokeError();
        _ = Close(descriptor);
        if (result != 0)
            throw new IOException($"'{folder}' cannot be synced (error {error}).");
    }

#pragma warning disable SYSLIB1054 // Generated marshalling is unsafe code, which this project does not allow.
    [DllImport("libc", EntryPoint = "open", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Open(byte[] path, int flags);

    [DllImport("libc", EntryPoint = "fsync", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int FSync(int descriptor);

    [DllImport("libc", EntryPoint = "close")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Close(int descriptor);
#pragma warning restore SYSLIB1054
}
