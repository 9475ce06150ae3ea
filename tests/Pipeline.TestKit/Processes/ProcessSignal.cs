using System.Runtime.InteropServices;

namespace Pipeline.TestKit.Processes;

/// <summary>
/// Signals to processes. The system sends them, because a bare machine has no program that does. The numbers of
/// <see cref="Continue"/> and <see cref="StandStill"/> are Linux's.
/// </summary>
public static partial class ProcessSignal
{
    /// <summary>What Ctrl+C sends.</summary>
    public const int Interrupt = 2;

    /// <summary>Ends a process that can do nothing about it.</summary>
    public const int Kill = 9;

    /// <summary>Asks a process to end.</summary>
    public const int Terminate = 15;

    /// <summary>Has a process that stands still go on.</summary>
    public const int Continue = 18;

    /// <summary>Has a process stand still.</summary>
    public const int StandStill = 19;

    /// <summary>Sends a signal.</summary>
    /// <returns>Whether the process was there and may be sent it; false on Windows, which has no signals.</returns>
    public static bool TrySend(int process, int signal) => !OperatingSystem.IsWindows() && Send(process, signal) == 0;

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int Send(int process, int signal);
}
