using System.Runtime.InteropServices;
using System.Text;

namespace Pipeline.Storage;

/// <summary>
/// Operations on names of files on Windows. A virus scanner or an indexer may have a file open for a moment, in which
/// others get an error; these try again for about a second.
/// </summary>
internal static class WindowsFiles
{
    private const int Attempts = 10;
    private const int AccessDenied = 5;
    private const int SharingViolation = 32;
    private const int LockViolation = 33;
    private const int DeletePending = 303;
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(20);

    /// <summary>Does it, and again while another program has the file open.</summary>
    public static T Retry<T>(Func<T> operation)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                return operation();
            }
            catch (Exception e)
                when (attempt < Attempts
                    && e is IOException or UnauthorizedAccessException
                    && WindowsErrors.CodeOf(e) is AccessDenied or SharingViolation or LockViolation or DeletePending
                )
            {
                using var never = new ManualResetEvent(false);
                never.WaitOne(Step * attempt);
            }
        }
    }

    /// <summary>Renames a file, replacing the target; durable when it returns.</summary>
    public static void Move(string source, string target) =>
        Retry(() =>
        {
            if (WindowsMethods.TryMove(Path.GetFullPath(source), Path.GetFullPath(target)))
                return true;
            var code = Marshal.GetLastPInvokeError();
            throw new IOException(
                $"{source}: renaming to {target} failed: {Marshal.GetPInvokeErrorMessage(code)} (error {code}).",
                unchecked((int)0x80070000) | code
            );
        });

    /// <summary>Deletes a file; does nothing if there is none.</summary>
    public static void Delete(string path) =>
        Retry(() =>
        {
            File.Delete(path);
            return true;
        });

    /// <summary>A number that no copy of the file has, see <see cref="WindowsFileId"/>; 0 if unknown.</summary>
    public static long IdentityOf(string path)
    {
        try
        {
            using var file = File.OpenHandle(
                path,
                FileMode.Open,
                FileAccess.Read,
                FileShare.ReadWrite | FileShare.Delete
            );
            return WindowsMethods.FileId(file)?.ToNumber() ?? 0;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }

    /// <summary>The beginning of a text file that another process may have open; empty if it cannot be read.</summary>
    public static string ReadText(string path, int most)
    {
        try
        {
            using var file = File.OpenHandle(
                path,
                FileMode.Open,
                FileAccess.Read,
                FileShare.ReadWrite | FileShare.Delete
            );
            var bytes = new byte[most];
            return Encoding.UTF8.GetString(bytes, 0, RandomAccess.Read(file, bytes, 0));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
