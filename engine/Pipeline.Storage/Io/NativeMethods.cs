using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>The few calls of the C library that the framework has no equal for; Linux and macOS.</summary>
internal static unsafe partial class NativeMethods
{
    public const int ProtRead = 1;
    public const int ProtWrite = 2;
    public const int MapShared = 1;
    public const int MapPrivate = 2;
    public const int LockExclusive = 2;
    public const int LockNonBlocking = 4;
    public const int LockRelease = 8;
    public const int ErrnoNoSpace = 28;
    public const int ErrnoInterrupted = 4;
    private const int ErrnoAgain = 11;
    private const int ErrnoAccess = 13;
    public const int FallocKeepSize = 1;
    public const int FallocPunchHole = 2;
    public const int FullSyncMac = 51;
    public const int DontNeed = 4;
    public const int HugePages = 14;
    public const int OpenReadWrite = 2;
    public const int OpenCloseOnExec = 0x80000;
    public const int OpenReadOnly = 0;
    public const int ErrnoInvalid = 22;
    public const int ErrnoNotSupported = 95;
    public const int ErrnoNoSuchCall = 38;
    private const int StatBytes = 256;
    private const int EmptyPath = 0x1000;
    private const int StatBlocks = 0x400;
    private const int StatBirthTime = 0x800;
    private const int CurrentFolder = -100;

    /// <summary>The flag to open a file past the system's cache; 0 if unknown.</summary>
    public static int OpenDirect =>
        !OperatingSystem.IsLinux()
            ? 0
            : RuntimeInformation.ProcessArchitecture switch
            {
                Architecture.X64 => 0x4000,
                Architecture.Arm64 => 0x10000,
                _ => 0,
            };

    /// <summary>
    /// The flags to open a file without waiting for a pipe's other end, not passed on to child processes.
    /// </summary>
    public static int OpenAtOnce => OperatingSystem.IsMacOS() ? 0x1000004 : OpenCloseOnExec | 0x800;

    /// <summary>The number of the futex call; 0 if unknown.</summary>
    public static int FutexCall { get; } =
        !OperatingSystem.IsLinux()
            ? 0
            : RuntimeInformation.ProcessArchitecture switch
            {
                Architecture.X64 => 202,
                Architecture.Arm64 => 98,
                _ => 0,
            };

    public static int MapNoReserve => OperatingSystem.IsMacOS() ? 0x40 : 0x4000;

    public static int MapAnonymous => OperatingSystem.IsMacOS() ? 0x1000 : 0x20;

    private const int FutexPrivate = 128;

    public static int ErrnoQuota => OperatingSystem.IsMacOS() ? 69 : 122;

    /// <summary>With 0 and 0, Linux: how readily the calling thread gives way, from −20 to 19.</summary>
    [LibraryImport("libc", EntryPoint = "setpriority", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int SetPriority(int which, uint who, int value);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial nint Map(nint address, nint length, int protection, int flags, int descriptor, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Unmap(nint address, nint length);

    [LibraryImport("libc", EntryPoint = "mprotect", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Protect(nint address, nint length, int protection);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Advise(nint address, nint length, int advice);

    [LibraryImport("libc", EntryPoint = "pwrite", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial nint Write(int descriptor, byte* buffer, nint count, long offset);

    [LibraryImport("libc", EntryPoint = "pread", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial nint Read(int descriptor, byte* buffer, nint count, long offset);

    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int SyncData(int descriptor);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Sync(int descriptor);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Control(int descriptor, int command);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Control(int descriptor, int command, RangeLock* range);

    private const int SetOpenFileLock = 37;

    /// <summary>The C library's struct flock, the same on all 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct RangeLock
    {
        public short Type;
        public short Whence;
        public long Start;
        public long Length;
        public int ProcessId;
    }

    /// <summary>
    /// Linux: takes a lock of the open file, not of the process, on one byte far behind its end, where no other program
    /// locks. It ends with the file's closing.
    /// </summary>
    /// <returns>
    /// False where another opening of the file has it; true, without a lock, where the file system knows none.
    /// </returns>
    public static bool TryLockForever(int descriptor)
    {
        const short writeLock = 1;
        var range = LastByte(writeLock);
        while (Control(descriptor, SetOpenFileLock, &range) != 0)
        {
            switch (Marshal.GetLastPInvokeError())
            {
                case ErrnoInterrupted:
                    continue;
                case ErrnoAgain or ErrnoAccess:
                    return false;
                default:
                    return true;
            }
        }
        return true;
    }

    /// <summary>
    /// Gives back what <see cref="TryLockForever"/> took. The file's closing alone would not where a process is being
    /// started at that moment: until it runs its program, it has a copy of each descriptor.
    /// </summary>
    public static void Unlock(int descriptor)
    {
        const short noLock = 2;
        var range = LastByte(noLock);
        _ = Control(descriptor, SetOpenFileLock, &range);
    }

    private static RangeLock LastByte(short type) =>
        new()
        {
            Type = type,
            Start = 1L << 62,
            Length = 1,
        };

    [LibraryImport("libc", EntryPoint = "ftruncate", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Truncate(int descriptor, long length);

    [LibraryImport("libc", EntryPoint = "posix_fallocate")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int AllocateSpace(int descriptor, long offset, long length);

    [LibraryImport("libc", EntryPoint = "fallocate", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int ChangeAllocation(int descriptor, int mode, long offset, long length);

    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Lock(int descriptor, int operation);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int OpenExisting(string path, int flags);

    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial long Seek(int descriptor, long offset, int whence);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Close(int descriptor);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Stat(int descriptor, string path, int flags, uint mask, byte* result);

    /// <summary>Returns the bytes that an open file takes on the device; -1 if unknown.</summary>
    public static long AllocatedBytes(int descriptor)
    {
        // Where the kernel's struct statx has it, the same on all processors; in units of 512 bytes.
        const int blockCount = 48;
        if (!OperatingSystem.IsLinux())
            return -1;
        var result = stackalloc byte[StatBytes];
        try
        {
            return Stat(descriptor, "", EmptyPath, StatBlocks, result) == 0 ? *(long*)(result + blockCount) * 512 : -1;
        }
        catch (EntryPointNotFoundException)
        {
            return -1; // A C library from before 2018.
        }
    }

    /// <summary>Returns the creation time of a file in nanoseconds since 1970; 0 if unknown.</summary>
    public static long BirthTime(string path)
    {
        const int given = 0,
            seconds = 80,
            nanoseconds = 88; // Fields of the kernel's struct statx.
        if (!OperatingSystem.IsLinux())
            return 0;
        var result = stackalloc byte[StatBytes];
        try
        {
            return
                Stat(CurrentFolder, path, 0, StatBirthTime, result) == 0
                && (*(uint*)(result + given) & StatBirthTime) != 0
                ? (*(long*)(result + seconds) * 1_000_000_000) + *(uint*)(result + nanoseconds)
                : 0;
        }
        catch (EntryPointNotFoundException)
        {
            return 0; // A C library from before 2018.
        }
    }

    /// <summary>The error of the last call as an exception that names the file and the operation.</summary>
    public static Exception Error(string path, string operation, long bytes = 0, int errno = 0, bool denied = false)
    {
        if (errno == 0)
            errno = Marshal.GetLastPInvokeError();
        if (errno == ErrnoNoSpace || errno == ErrnoQuota)
            return new DiskFullException(path, bytes);
        if (denied && errno == ErrnoAccess)
        {
            return new UnauthorizedAccessException(
                $"{path}: {operation} failed: {Marshal.GetPInvokeErrorMessage(errno)} (error {errno})."
            );
        }

        return new IOException($"{path}: {operation} failed: {Marshal.GetPInvokeErrorMessage(errno)} (error {errno}).");
    }

    /// <summary>Sleeps while the word has the expected value, until a wake-up; may return early.</summary>
    public static unsafe void FutexWait(int* word, int expected) =>
        _ = Futex(FutexCall, word, FutexPrivate, expected, 0, 0, 0);

    /// <summary>Wakes one thread that sleeps on the word.</summary>
    public static unsafe void FutexWake(int* word) => _ = Futex(FutexCall, word, FutexPrivate | 1, 1, 0, 0, 0);

    [LibraryImport("libc", EntryPoint = "syscall")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static unsafe partial nint Futex(
        nint call,
        int* word,
        nint operation,
        nint value,
        nint timeout,
        nint otherWord,
        nint otherValue
    );
}
