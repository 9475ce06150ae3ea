using System.Runtime.InteropServices;

namespace Pipeline.Cluster;

/// <summary>
/// Clocks for leases. A lease must end while the machine sleeps, because another node leads then. On Linux the system's
/// clock is <c>CLOCK_BOOTTIME</c>, which also runs during suspend. .NET's timestamps do not.
/// </summary>
internal static class NodeClock
{
    private const int BootTime = 7;

    /// <summary>The clock of a time provider; thread-safe.</summary>
    public static Func<TimeSpan> Of(TimeProvider time)
    {
        if (time == TimeProvider.System && OperatingSystem.IsLinux() && ReadBootTime(BootTime, out _) == 0)
            return static () => ReadBootTime(BootTime, out var now) == 0 ? now.Value : throw Failed();
        var start = time.GetTimestamp();
        return () => time.GetElapsedTime(start);
    }

    private static InvalidOperationException Failed() =>
        new($"clock_gettime(CLOCK_BOOTTIME) failed with error {Marshal.GetLastPInvokeError()}.");

#pragma warning disable SYSLIB1054 // LibraryImport generates unsafe code, which only two projects may have.
    [DllImport("libc", EntryPoint = "clock_gettime", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int ReadBootTime(int clock, out Timespec now);
#pragma warning restore SYSLIB1054

    [StructLayout(LayoutKind.Sequential)]
    private readonly struct Timespec
    {
        private readonly nint _seconds;
        private readonly nint _nanoseconds;

        public TimeSpan Value => TimeSpan.FromTicks((_seconds * TimeSpan.TicksPerSecond) + (_nanoseconds / 100));
    }
}
