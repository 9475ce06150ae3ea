using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Pipeline.Storage;

/// <summary>The few calls of Windows that the framework has no equal for.</summary>
internal static unsafe partial class WindowsMethods
{
    public const int ErrorUserMappedFile = 1224;
    public const int ErrorInvalidParameter = 87;
    private const int ErrorMoreData = 234;
    private const uint Commit = 0x1000;
    private const uint ReserveOnly = 0x2000;
    private const uint ReleaseAll = 0x8000;
    private const uint NoAccess = 1;
    private const uint ReadOnlyPages = 2;
    private const uint ReadWritePages = 4;
    private const uint MapForReading = 4;
    private const uint LockAtOnce = 1;
    private const uint LockExclusive = 2;
    private const uint MoveReplacing = 1;
    private const uint MoveWriteThrough = 8;
    private const uint SetSparseCode = 0x000900C4;
    private const uint SetZeroDataCode = 0x000980C8;
    private const uint QueryRangesCode = 0x000940CF;
    private const int CompressionInfoClass = 8;
    private const int FileIdInfoClass = 18;

    /// <summary>Reserves address space; 0 if that fails.</summary>
    public static nint Reserve(nint wanted, nint bytes) => Allocate(wanted, bytes, ReserveOnly, NoAccess);

    /// <summary>Reserves memory that can be used at once; 0 if that fails.</summary>
    public static nint ReserveUsable(nint wanted, nint bytes) =>
        Allocate(wanted, bytes, ReserveOnly | Commit, ReadWritePages);

    /// <summary>Makes reserved memory usable; false if the system has no more.</summary>
    public static bool TryCommit(nint address, nint bytes) => Allocate(address, bytes, Commit, ReadWritePages) != 0;

    /// <summary>Releases the range that one call reserved.</summary>
    public static void Release(nint address) => _ = Free(address, 0, ReleaseAll);

    /// <summary>
    /// Maps a range of a file for reading, at a multiple of 64 KiB in both; 0 as the length means to the file's end.
    /// </summary>
    /// <param name="file">The file.</param>
    /// <param name="offset">Where the range begins.</param>
    /// <param name="bytes">Its length.</param>
    /// <param name="wanted">The address that it must have; 0 for any.</param>
    /// <returns>The address; 0 if the system refuses, for instance since the address is taken.</returns>
    public static nint MapFile(SafeFileHandle file, long offset, long bytes, nint wanted)
    {
        var section = CreateSection(file, 0, ReadOnlyPages, 0, 0, 0);
        if (section == 0)
            return 0;
        var view = MapView(section, MapForReading, (uint)(offset >> 32), (uint)offset, (nint)bytes, wanted);
        var error = Marshal.GetLastPInvokeError();
        _ = CloseHandle(section); // The view keeps the section.
        Marshal.SetLastPInvokeError(error);
        return view;
    }

    /// <summary>Undoes <see cref="MapFile"/>.</summary>
    public static void UnmapFile(nint view) => _ = UnmapView(view);

    /// <summary>Takes an exclusive lock on one byte far behind the file's end; false if it is taken.</summary>
    public static bool TryLockForever(SafeFileHandle file)
    {
        var place = LastByte();
        return LockRange(file, LockExclusive | LockAtOnce, 0, 1, 0, &place) != 0;
    }

    /// <summary>Gives back what <see cref="TryLockForever"/> took.</summary>
    public static void Unlock(SafeFileHandle file)
    {
        var place = LastByte();
        _ = UnlockRange(file, 0, 1, 0, &place);
    }

    /// <summary>Renames a file over another; returns when the file system has written the change.</summary>
    public static bool TryMove(string source, string target) =>
        MoveFile(source, target, MoveReplacing | MoveWriteThrough) != 0;

    /// <summary>Lets ranges of the file be without space.</summary>
    public static bool TrySetSparse(SafeFileHandle file) =>
        ControlDevice(file, SetSparseCode, null, 0, null, 0, out _, 0) != 0;

    /// <summary>Makes a range zeros; in a sparse file its whole blocks of 64 KiB lose their space.</summary>
    public static bool TryZero(SafeFileHandle file, long offset, long length)
    {
        var range = stackalloc long[] { offset, offset + length };
        return ControlDevice(file, SetZeroDataCode, range, 2 * sizeof(long), null, 0, out _, 0) != 0;
    }

    /// <summary>
    /// Finds the first part of a range that has space: where it begins, and its length. If none has, it begins at the
    /// range's end.
    /// </summary>
    /// <returns>
    /// False if the system does not say. Some volumes let files be sparse and answer no question about them.
    /// </returns>
    public static bool TryFindSpace(SafeFileHandle file, long offset, long length, out long start, out long bytes)
    {
        var asked = stackalloc long[] { offset, length };
        var found = stackalloc long[2];
        var done = ControlDevice(file, QueryRangesCode, asked, 2 * sizeof(long), found, 2 * sizeof(long), out var n, 0);
        // With more ranges than fit, the call fails, and has filled in the first.
        var hasMore = done == 0 && Marshal.GetLastPInvokeError() == ErrorMoreData && n == 2 * sizeof(long);
        (start, bytes) = n == 2 * sizeof(long) ? (found[0], found[1]) : (offset + length, 0);
        return done != 0 || hasMore;
    }

    /// <summary>Bytes that the file takes on its volume; -1 if unknown.</summary>
    public static long AllocatedBytes(SafeFileHandle file)
    {
        var info = stackalloc long[2];
        return GetInformation(file, CompressionInfoClass, info, 2 * sizeof(long)) != 0 ? info[0] : -1;
    }

    /// <summary>What tells an open file from all others; <see langword="null"/> if the volume does not say.</summary>
    public static WindowsFileId? FileId(SafeFileHandle file)
    {
        // FILE_ID_INFO: the serial number of the volume and 16 bytes. Only file systems that never use one twice have it.
        const int bytes = 24;
        var info = stackalloc ulong[bytes / sizeof(ulong)];
        return GetInformation(file, FileIdInfoClass, info, bytes) != 0
            ? new(info[0], info[1], info[2], 0)
            : OldId(file);
    }

    /// <summary>On FAT and exFAT a new file may take the number of a deleted one, but not its creation time.</summary>
    private static WindowsFileId? OldId(SafeFileHandle file)
    {
        // BY_HANDLE_FILE_INFORMATION: 52 bytes; the creation time, the volume, and last the high and low half of the number.
        const int bytes = 52;
        var info = stackalloc byte[bytes];
        return GetInformation(file, info) != 0
            ? new(
                *(uint*)(info + 28),
                ((ulong)*(uint*)(info + 44) << 32) | *(uint*)(info + 48),
                0,
                (ulong)*(uint*)(info + 4) | ((ulong)*(uint*)(info + 8) << 32)
            )
            : null;
    }

    private static Place LastByte() => new() { High = 1 << 30 };

    /// <summary>OVERLAPPED; only the offset is used.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Place
    {
        public nint Internal;
        public nint InternalHigh;
        public uint Low;
        public uint High;
        public nint Event;
    }

    [LibraryImport("kernel32", EntryPoint = "VirtualAlloc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial nint Allocate(nint address, nint bytes, uint type, uint protection);

    [LibraryImport("kernel32", EntryPoint = "VirtualFree", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int Free(nint address, nint bytes, uint type);

    [LibraryImport("kernel32", EntryPoint = "CreateFileMappingW", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial nint CreateSection(
        SafeFileHandle file,
        nint security,
        uint protection,
        uint sizeHigh,
        uint sizeLow,
        nint name
    );

    [LibraryImport("kernel32", EntryPoint = "MapViewOfFileEx", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial nint MapView(
        nint section,
        uint access,
        uint offsetHigh,
        uint offsetLow,
        nint bytes,
        nint wanted
    );

    [LibraryImport("kernel32", EntryPoint = "UnmapViewOfFile", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int UnmapView(nint address);

    [LibraryImport("kernel32", EntryPoint = "CloseHandle", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int CloseHandle(nint handle);

    [LibraryImport("kernel32", EntryPoint = "LockFileEx", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int LockRange(
        SafeFileHandle file,
        uint flags,
        uint reserved,
        uint bytesLow,
        uint bytesHigh,
        Place* place
    );

    [LibraryImport("kernel32", EntryPoint = "UnlockFileEx", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int UnlockRange(
        SafeFileHandle file,
        uint reserved,
        uint bytesLow,
        uint bytesHigh,
        Place* place
    );

    [LibraryImport(
        "kernel32",
        EntryPoint = "MoveFileExW",
        SetLastError = true,
        StringMarshalling = StringMarshalling.Utf16
    )]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int MoveFile(string source, string target, uint flags);

    [LibraryImport("kernel32", EntryPoint = "DeviceIoControl", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int ControlDevice(
        SafeFileHandle file,
        uint code,
        void* input,
        uint inputBytes,
        void* output,
        uint outputBytes,
        out uint returned,
        nint overlapped
    );

    [LibraryImport("kernel32", EntryPoint = "GetFileInformationByHandleEx", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int GetInformation(SafeFileHandle file, int what, void* output, uint bytes);

    [LibraryImport("kernel32", EntryPoint = "GetFileInformationByHandle", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int GetInformation(SafeFileHandle file, void* output);
}
