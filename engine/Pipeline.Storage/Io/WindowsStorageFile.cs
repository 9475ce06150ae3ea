using Microsoft.Win32.SafeHandles;

namespace Pipeline.Storage;

/// <summary>A real file of Windows.</summary>
/// <remarks>
/// Windows maps only existing bytes, and does not truncate a file below its mapped length. Growth is therefore
/// mapped behind the existing mapping, and a mapped file is truncated at disposal; until then only
/// <see cref="Length"/> shows it.
/// </remarks>
internal sealed unsafe class WindowsStorageFile : IStorageFile
{
    /// <summary>Views begin at multiples of this, in the file and in memory.</summary>
    private const long Granularity = 64 << 10;

    private const FileOptions Unbuffered = (FileOptions)0x20000000 | FileOptions.WriteThrough;
    private readonly SafeFileHandle _handle;
    private readonly Lock _growth = new();
    private readonly List<WindowsMapping> _mappings = [];

    /// <summary>Opened at the first use. Not there where the volume cannot, or its sectors are larger.</summary>
    private SafeFileHandle? _direct;
    private bool _cannotWriteDirect;
    private bool _locked;
    private bool _isSparse;
    private bool _cutWaits;
    private long _length;

    /// <summary>Opens it.</summary>
    /// <param name="path">Its path.</param>
    /// <param name="create">Whether to create the file if it does not exist.</param>
    public WindowsStorageFile(string path, bool create)
    {
        Path = path;
        _handle = OpenHandle(create ? FileMode.OpenOrCreate : FileMode.Open, FileOptions.None);
        _length = RandomAccess.GetLength(_handle);
        _isSparse = (File.GetAttributes(_handle) & FileAttributes.SparseFile) != 0;
    }

    public string Path { get; }

    public long Length => Volatile.Read(ref _length);

    /// <summary>Whether the last blocks were written past the system's cache.</summary>
    public bool IsDirect => _direct is not null;

    public long AllocatedBytes => WindowsMethods.AllocatedBytes(_handle) is var bytes and >= 0 ? bytes : Length;

    public int Read(long offset, Span<byte> buffer)
    {
        // A cut that waits for disposal leaves bytes behind the end.
        buffer = buffer[..(int)Math.Clamp(Length - offset, 0, buffer.Length)];
        var done = 0;
        try
        {
            while (done < buffer.Length && RandomAccess.Read(_handle, buffer[done..], offset + done) is var n and > 0)
                done += n;
        }
        catch (IOException e)
        {
            throw WindowsErrors.Of(e, Path, $"read of {buffer.Length:N0} bytes at {offset}");
        }
        return done;
    }

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        try
        {
            RandomAccess.Write(_handle, bytes, offset);
        }
        catch (IOException e)
        {
            throw WindowsErrors.Of(e, Path, $"write of {bytes.Length:N0} bytes at {offset}", bytes.Length);
        }
        GrowLength(offset + bytes.Length);
    }

    public void WriteBlocks(long offset, ReadOnlySpan<byte> blocks)
    {
        if (_direct is null && !_cannotWriteDirect)
            _direct = OpenHandle(FileMode.Open, Unbuffered);
        if (_direct is { } direct)
        {
            try
            {
                RandomAccess.Write(direct, blocks, offset);
                GrowLength(offset + blocks.Length);
                return;
            }
            catch (Exception e)
                when (e is ArgumentException || WindowsErrors.CodeOf(e) == WindowsMethods.ErrorInvalidParameter)
            {
                // The volume's sectors are larger than our blocks.
                _cannotWriteDirect = true;
                _direct = null;
                direct.Dispose();
            }
            catch (IOException e)
            {
                throw WindowsErrors.Of(e, Path, $"write of {blocks.Length:N0} bytes at {offset}", blocks.Length);
            }
        }
        Write(offset, blocks);
    }

    public void Sync()
    {
        try
        {
            RandomAccess.FlushToDisk(_handle); // FlushFileBuffers: what all handles of the file wrote.
        }
        catch (IOException e)
        {
            throw WindowsErrors.Of(e, Path, "sync");
        }
    }

    public void Allocate(long length)
    {
        lock (_growth)
        {
            var old = Length;
            if (length <= old)
                return;
            // Whole units, so that the growth can be mapped behind the existing mapping.
            length = (length + Granularity - 1) & -Granularity;
            var stored = RandomAccess.GetLength(_handle);
            try
            {
                if (stored < length)
                    RandomAccess.SetLength(_handle, length);
                Reserve(old, length - old);
            }
            catch (IOException e)
            {
                if (stored < length)
                    TrySetLength(stored);
                throw WindowsErrors.Of(e, Path, $"growth to {length:N0} bytes", length - old);
            }
            GrowLength(length);
        }
    }

    public void Truncate(long length)
    {
        lock (_growth)
        {
            if (TrySetLength(length))
            {
                Volatile.Write(ref _length, length);
                return;
            }
            // It is mapped. What lies behind the new end must read as zeros when the file grows again.
            var stored = RandomAccess.GetLength(_handle);
            if (stored > length && !PunchHole(length, stored - length))
                WriteZeros(length, stored - length);
            if (stored < length)
                RandomAccess.SetLength(_handle, length);
            _cutWaits = true;
            Volatile.Write(ref _length, length);
        }
    }

    public bool PunchHole(long offset, long length)
    {
        _isSparse = _isSparse || WindowsMethods.TrySetSparse(_handle);
        // Refused where the volume knows no sparse files, and by some while the range is mapped.
        return _isSparse && WindowsMethods.TryZero(_handle, offset, length);
    }

    public void Reserve(long offset, long length)
    {
        if (!_isSparse)
            return;
        // Only zeros in pages that nobody uses lie without space, so that nobody writes there at the same time.
        for (var end = offset + length; offset < end; )
        {
            // If the system does not report which ranges are allocated, zeros could overwrite pages in use.
            if (!WindowsMethods.TryFindSpace(_handle, offset, end - offset, out var start, out var bytes))
                return;
            var gapEnd = Math.Clamp(start, offset, end);
            WriteZeros(offset, gapEnd - offset);
            offset = Math.Max(start + bytes, gapEnd);
        }
    }

    public nint Map(long reservedBytes)
    {
        if (_mappings.Count > 0)
            throw new InvalidOperationException($"{Path} is already mapped.");
        return MapMore(reservedBytes, []);
    }

    public bool CanMapMore => true;

    public nint MapMore(long reservedBytes, IEnumerable<(long Offset, long Length)> frozen)
    {
        lock (_growth)
        {
            var stored = RandomAccess.GetLength(_handle);
            var mapping = WindowsMapping.TryMake(_handle, stored, Math.Max(reservedBytes, stored));
            if (mapping is null)
            {
                throw WindowsErrors.OfLastCall(
                    Path,
                    $"mapping of {reservedBytes:N0} bytes of address space (StorageOptions.MappedBytes)"
                );
            }

            _mappings.Add(mapping);
            return mapping.Address;
        }
    }

    public bool TryShowGrowth()
    {
        lock (_growth)
            return _mappings.Count == 0 || _mappings[^1].TryShow(_handle, RandomAccess.GetLength(_handle));
    }

    public bool TryLock() => _locked = WindowsMethods.TryLockForever(_handle);

    public void Dispose()
    {
        lock (_growth)
        {
            if (_handle.IsClosed)
                return;
            _mappings.ForEach(m => m.Dispose());
            _mappings.Clear();
            if (_cutWaits)
                TrySetLength(_length); // Where another opening has mapped the file, zeros stay behind its end.
            _direct?.Dispose();
            if (_locked)
                WindowsMethods.Unlock(_handle);
            _handle.Dispose();
        }
    }

    private SafeFileHandle OpenHandle(FileMode mode, FileOptions options) =>
        File.OpenHandle(Path, mode, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete, options);

    private void WriteZeros(long offset, long length)
    {
        var zeros = new byte[Math.Min(length, 1 << 20)];
        for (var end = offset + length; offset < end; offset += zeros.Length)
            RandomAccess.Write(_handle, zeros.AsSpan(0, (int)Math.Min(zeros.Length, end - offset)), offset);
    }

    /// <summary>False if the file is mapped beyond that length.</summary>
    private bool TrySetLength(long length)
    {
        try
        {
            RandomAccess.SetLength(_handle, length);
            return true;
        }
        catch (Exception e)
            when (e is IOException or UnauthorizedAccessException
                && WindowsErrors.CodeOf(e) == WindowsMethods.ErrorUserMappedFile
            )
        {
            return false;
        }
    }

    private void GrowLength(long length)
    {
        long seen;
        while ((seen = Volatile.Read(ref _length)) < length)
            Interlocked.CompareExchange(ref _length, length, seen);
    }
}
