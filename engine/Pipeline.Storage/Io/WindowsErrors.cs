using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>Errors of Windows as those of the engine.</summary>
internal static class WindowsErrors
{
    private const int HandleDiskFull = 39;
    private const int DiskFull = 112;
    private const int QuotaExceeded = 1295;
    private const int FromSystem = unchecked((int)0x80070000);

    /// <summary>The system's error code that the framework made an exception of; 0 if there is none.</summary>
    public static int CodeOf(Exception error) =>
        (error.HResult & unchecked((int)0xFFFF0000)) == FromSystem ? error.HResult & 0xFFFF : 0;

    /// <summary>The framework's error as one that names the file and the operation.</summary>
    public static Exception Of(IOException error, string path, string operation, long bytes = 0) =>
        CodeOf(error) is HandleDiskFull or DiskFull or QuotaExceeded
            ? new DiskFullException(path, bytes, error)
            : new IOException($"{path}: {operation} failed: {error.Message}", error);

    /// <summary>The error of the last call.</summary>
    public static Exception OfLastCall(string path, string operation)
    {
        var code = Marshal.GetLastPInvokeError();
        return new IOException($"{path}: {operation} failed: {Marshal.GetPInvokeErrorMessage(code)} (error {code}).");
    }
}
