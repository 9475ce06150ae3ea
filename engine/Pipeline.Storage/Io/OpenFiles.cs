using System.Globalization;

namespace Pipeline.Storage;

/// <summary>How many files and connections this process may have open.</summary>
/// <remarks>
/// A process at this limit cannot load its own code. A type whose first use fails then stays unusable, and the runtime
/// may end the process. Therefore, clients can open only a part of it. Thread-safe.
/// </remarks>
public static class OpenFiles
{
    private const string Name = "Max open files";
    private static readonly Lazy<long?> Found = new(Read);

    /// <summary>The limit of this process; <see langword="null"/> where the system has none or does not say.</summary>
    public static long? Most => Found.Value;

    /// <summary>The number, but at most a share of the limit.</summary>
    /// <param name="wanted">The number.</param>
    /// <param name="part">2 for a half of the limit, 16 for a sixteenth.</param>
    public static int Cap(int wanted, int part) => Cap(wanted, part, Most);

    internal static int Cap(int wanted, int part, long? most) =>
        most is { } limit ? (int)Math.Min(wanted, Math.Max(1, limit / part)) : wanted;

    private static long? Read()
    {
        if (!OperatingSystem.IsLinux())
            return null;
        try
        {
            var line = File.ReadLines("/proc/self/limits")
                .FirstOrDefault(l => l.StartsWith(Name, StringComparison.Ordinal));
            var soft = line?[Name.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries).FirstOrDefault();
            return long.TryParse(soft, CultureInfo.InvariantCulture, out var most) ? most : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
