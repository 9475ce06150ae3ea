using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Pipeline.CrashTests;

/// <summary>
/// Tells the C library to keep freed memory. The simulation opens and closes a store for each crash; by default,
/// closing returns the pages to the system, which zeroes them for the next store. Has no effect if the library has no
/// such settings.
/// </summary>
internal static partial class AllocatorSettings
{
    private const int TrimThreshold = -1;
    private const int MapThreshold = -3;

    [ModuleInitializer]
    internal static void Apply()
    {
        AppContext.SetSwitch("Pipeline.Storage.StepHook", true);
        if (!OperatingSystem.IsLinux())
            return;
        try
        {
            _ = Set(TrimThreshold, 1 << 30);
            _ = Set(MapThreshold, 32 << 20);
        }
        catch (EntryPointNotFoundException)
        {
            // Another C library than glibc: slower, no more.
        }
    }

    [LibraryImport("libc", EntryPoint = "mallopt")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Set(int parameter, int value);
}
