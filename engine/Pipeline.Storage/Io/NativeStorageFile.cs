using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Pipeline.Storage;

/// <summary>A real file, through the C library's positioned reads and writes, mmap and fdatasync.</summary>
internal sealed unsafe class NativeStorageFile : IStorageFile
{
    private readonly SafeFileHandle _handle;
    private readonly int _descriptor;
    private readonly bool _lockable;
    private readonly int _directFlag;

    // All mappings, the newest last. Changed by Map and MapMore alone, which never run at the same time, nor during
    // TryFreeze and Thaw.
    private volatile (nint Address, long Bytes)[] _mappings = [];
    private long _length;
    private bool _locked;

    /// <summary>Opened past the system's cache at the first use; 0 before, -1 where the file system cannot.</summary>
    private int _direct;

    /// <summary>Opens it.</summary>
    /// <param name="path">Its path.</param>
    /// <param name="create">Whether to create the file if it does not exist.</param>
    /// <param name="directFlag">
    /// The flag that makes the system bypass its cache, 0 for none; tests give one that the system refuses.
    /// </param>
    /// <param name="lockable">Whether <see cref="TryLock"/> locks.</param>
    public NativeStorageFile(string path, bool create, int directFlag, bool lockable = true)
    {
        (_directFlag, _lockable) = (directFlag, lockable);
        Path = path;
        if (create)
            PrivateFile.Make(path);
        _handle = File.OpenHandle(
            path,
            create ? FileMode.OpenOrCreate : FileMode.Open,
            FileAccess.ReadWrite,
            FileShare.ReadWrite | FileShare.Delete
        );
        _descriptor = (int)_handle.DangerousGetHandle();
        _length = RandomAccess.GetLength(_handle);
    }

    public string Path { get; }

    /// <summary>Whether the last blocks were written past the system's cache.</summary>
    public bool IsDirect => _direct > 0;

    public long Length => Volatile.Read(ref _length);

    public long AllocatedBytes => NativeMethods.AllocatedBytes(_descriptor) is var bytes and >= 0 ? bytes : Length;

    public int Read(long offset, Span<byte> buffer)
    {
        var done = 0;
        fixed (byte* start = buffer)
        {
            while (done < buffer.Length)
            {
                var n = NativeMethods.Read(_descriptor, start + done, buffer.Length - done, offset + done);
                if (n == 0)
                    break;
                if (n > 0)
                    done += (int)n;
                else if (Marshal.GetLastPInvokeError() != NativeMethods.ErrnoInterrupted)
                    throw NativeMethods.Error(Path, $"read of {buffer.Length:N0} bytes at {offset}");
            }
        }
        return done;
    }

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        if (!TryWrite(_descriptor, offset, bytes))
            throw NativeMethods.Error(Path, $"write of {bytes.Length:N0} bytes at {offset}", bytes.Length);
    }

    public void WriteBlocks(long offset, ReadOnlySpan<byte> blocks)
    {
        if (_direct == 0)
            OpenDirect();
        if (_direct > 0)
        {
            if (TryWrite(_direct, offset, blocks))
                return;
            if (Marshal.GetLastPInvokeError() != NativeMethods.ErrnoInvalid)
                throw NativeMethods.Error(Path, $"write of {blocks.Length:N0} bytes at {offset}", blocks.Length);
            // Its blocks are larger than ours.
            CloseDirect();
        }
        Write(offset, blocks);
    }

    public void Sync()
    {
        var result = OperatingSystem.IsMacOS()
            ? NativeMethods.Control(_descriptor, NativeMethods.FullSyncMac)
            : NativeMethods.SyncData(_descriptor);
        if (result != 0)
            throw NativeMethods.Error(Path, "sync");
    }

    public void Allocate(long length)
    {
        var old = Length;
        if (length <= old)
            return;
        if (OperatingSystem.IsLinux())
        {
            var errno = NativeMethods.AllocateSpace(_descriptor, old, length - old);
            if (errno != 0)
            {
                _ = NativeMethods.Truncate(_descriptor, old);
                throw NativeMethods.Error(Path, $"growth to {length:N0} bytes", length - old, errno);
            }
        }
        else if (NativeMethods.Truncate(_descriptor, length) != 0)
        {
            throw NativeMethods.Error(Path, $"growth to {length:N0} bytes", length - old);
        }
        GrowLength(length);
    }

    public void Truncate(long length)
    {
        if (NativeMethods.Truncate(_descriptor, length) != 0)
            throw NativeMethods.Error(Path, $"truncation to {length:N0} bytes");
        Volatile.Write(ref _length, length);
    }

    public bool PunchHole(long offset, long length) =>
        TryChangeAllocation(
            NativeMethods.FallocPunchHole | NativeMethods.FallocKeepSize,
            offset,
            length,
            "punching a hole"
        );

    // Not posix_fallocate: where the file system cannot, the C library writes into each block, which would race with
    // other writes.
    public void Reserve(long offset, long length) => TryChangeAllocation(0, offset, length, "reservation");

    public nint Map(long reservedBytes)
    {
        if (_mappings.Length > 0)
            throw new InvalidOperationException($"{Path} is already mapped.");
        var address = NewMapping(reservedBytes);
        _mappings = [(address, reservedBytes)];
        return address;
    }

    public bool CanMapMore => true;

    public nint MapMore(long reservedBytes, IEnumerable<(long Offset, long Length)> frozen)
    {
        var before = _mappings[^1];
        var address = NewMapping(reservedBytes);
        foreach (var (offset, length) in frozen)
        {
            var (from, to) = (before.Address + (nint)offset, address + (nint)offset);
            var isDone = NativeMethods.Protect(to, (nint)length, NativeMethods.ProtRead | NativeMethods.ProtWrite) == 0;
            if (isDone)
                Buffer.MemoryCopy((void*)from, (void*)to, length, length);
            if (isDone && NativeMethods.Protect(to, (nint)length, NativeMethods.ProtRead) == 0)
                continue;
            var error = NativeMethods.Error(Path, $"freezing of {length:N0} mapped bytes at {offset} in a new mapping");
            _ = NativeMethods.Unmap(address, (nint)reservedBytes);
            throw error;
        }
        _mappings = [.. _mappings, (address, reservedBytes)];
        return address;
    }

    /// <remarks>
    /// The mapping is private: its pages are those of the system's cache, where writes are seen, until something is
    /// stored through the mapping itself; from then on the system keeps a copy for it under the same address. Storing
    /// the byte that is there makes that copy and changes nothing for concurrent readers. Linux drops the copies when
    /// told that they are not needed; other systems do not promise that.
    /// </remarks>
    public bool TryFreeze(long offset, long length)
    {
        if (!OperatingSystem.IsLinux() || _mappings.Length == 0)
            return false;
        // A reader may hold pages by the address of any mapping that was ever given out.
        foreach (var mapping in _mappings)
        {
            if (
                offset < mapping.Bytes
                && !TryFreezeAt(mapping.Address + (nint)offset, Math.Min(length, mapping.Bytes - offset))
            )
            {
                Thaw(offset, length);
                return false;
            }
        }
        return true;
    }

    private static bool TryFreezeAt(nint start, long length)
    {
        if (NativeMethods.Protect(start, (nint)length, NativeMethods.ProtRead | NativeMethods.ProtWrite) != 0)
        {
            // A range of several mappings may have become writable in part. Nothing was stored there, so that it shows
            // the file as before.
            _ = NativeMethods.Protect(start, (nint)length, NativeMethods.ProtRead);
            return false;
        }
        for (var at = 0L; at < length; at += Environment.SystemPageSize)
        {
            ref var first = ref *((byte*)start + at);
            Volatile.Write(ref first, Volatile.Read(ref first));
        }
        return NativeMethods.Protect(start, (nint)length, NativeMethods.ProtRead) == 0;
    }

    public void Thaw(long offset, long length)
    {
        if (!OperatingSystem.IsLinux())
            return;
        foreach (var mapping in _mappings)
        {
            if (
                offset < mapping.Bytes
                && NativeMethods.Advise(
                    mapping.Address + (nint)offset,
                    (nint)Math.Min(length, mapping.Bytes - offset),
                    NativeMethods.DontNeed
                ) != 0
            )
            {
                throw NativeMethods.Error(Path, $"thawing of {length:N0} mapped bytes at {offset}");
            }
        }
    }

    public bool TryLock()
    {
        if (!_lockable)
            return true;
        // The framework's shared lock on the whole file would be in the way where the file system keeps both kinds of
        // locks as one.
        _ = NativeMethods.Lock(_descriptor, NativeMethods.LockRelease);
        return _locked = NativeMethods.TryLockForever(_descriptor);
    }

    public void Dispose()
    {
        foreach (var (address, bytes) in Interlocked.Exchange(ref _mappings, Array.Empty<(nint Address, long Bytes)>()))
            _ = NativeMethods.Unmap(address, (nint)bytes);
        CloseDirect();
        if (_locked)
            NativeMethods.Unlock(_descriptor);
        _locked = false;
        _handle.Dispose();
    }

    private nint NewMapping(long reservedBytes)
    {
        var address = NativeMethods.Map(
            0,
            (nint)reservedBytes,
            NativeMethods.ProtRead,
            NativeMethods.MapPrivate | NativeMethods.MapNoReserve,
            _descriptor,
            0
        );
        return address != -1
            ? address
            : throw NativeMethods.Error(
                Path,
                $"mapping of {reservedBytes:N0} bytes of address space (StorageOptions.MappedBytes)"
            );
    }

    /// <summary>False where the system or file system does not know the call.</summary>
    private bool TryChangeAllocation(int mode, long offset, long length, string operation)
    {
        if (!OperatingSystem.IsLinux())
            return false;
        while (NativeMethods.ChangeAllocation(_descriptor, mode, offset, length) != 0)
        {
            switch (Marshal.GetLastPInvokeError())
            {
                case NativeMethods.ErrnoInterrupted:
                    continue;
                case NativeMethods.ErrnoNotSupported or NativeMethods.ErrnoNoSuchCall:
                    return false;
                default:
                    throw NativeMethods.Error(Path, $"{operation} of {length:N0} bytes at {offset}", length);
            }
        }
        return true;
    }

    private bool TryWrite(int descriptor, long offset, ReadOnlySpan<byte> bytes)
    {
        var done = 0;
        fixed (byte* start = bytes)
        {
            while (done < bytes.Length)
            {
                var n = NativeMethods.Write(descriptor, start + done, bytes.Length - done, offset + done);
                if (n >= 0)
                    done += (int)n;
                else if (Marshal.GetLastPInvokeError() != NativeMethods.ErrnoInterrupted)
                    return false;
            }
        }
        GrowLength(offset + bytes.Length);
        return true;
    }

    private void OpenDirect() =>
        _direct =
            _directFlag == 0
                ? -1
                : NativeMethods.OpenExisting(
                    Path,
                    NativeMethods.OpenReadWrite | NativeMethods.OpenCloseOnExec | _directFlag
                );

    private void CloseDirect()
    {
        if (_direct > 0)
            _ = NativeMethods.Close(_direct);
        _direct = -1;
    }

    private void GrowLength(long length)
    {
        long seen;
        while ((seen = Volatile.Read(ref _length)) < length)
            Interlocked.CompareExchange(ref _length, length, seen);
    }
}
