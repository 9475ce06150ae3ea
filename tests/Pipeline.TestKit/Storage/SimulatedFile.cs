using Pipeline.Storage;

namespace Pipeline.TestKit.Storage;

/// <summary>A file of the simulated disk as its process sees it: with all written data, durable or not.</summary>
internal sealed class SimulatedFile(SimulatedDisk disk, int id, string path) : IStorageFile
{
    private const int BlockBytes = 4096;
    private readonly Lock _gate = new();

    /// <summary>Blocks whose space was released.</summary>
    private readonly HashSet<long> _holes = [];

    /// <summary>The current content of blocks for which the mapping still shows the former content.</summary>
    private readonly SortedDictionary<long, byte[]> _frozen = [];
    private long _length;
    private bool _mapped;

    public int Id => id;

    public string Path { get; set; } = path;

    public long Length => Volatile.Read(ref _length);

    public long AllocatedBytes
    {
        get
        {
            lock (disk.Gate)
                return Length - ((long)_holes.Count * BlockBytes);
        }
    }

    /// <summary>
    /// The file's bytes, for callers with exclusive use of the disk. Call <see cref="Refresh"/> after a change.
    /// </summary>
    public DiskImage Image { get; } = new();

    public void Refresh() => Volatile.Write(ref _length, Image.Length);

    public byte[] ToArray()
    {
        lock (_gate)
        {
            var bytes = Image.Content.ToArray();
            foreach (var (block, content) in _frozen)
                content.AsSpan(0, (int)Math.Min(BlockBytes, _length - block)).CopyTo(bytes.AsSpan((int)block));
            return bytes;
        }
    }

    public int Read(long offset, Span<byte> buffer)
    {
        lock (_gate)
        {
            var n = (int)Math.Clamp(_length - offset, 0, buffer.Length);
            Image.Content.Slice((int)Math.Min(offset, _length), n).CopyTo(buffer);
            foreach (var (block, content) in _frozen)
            {
                var (from, to) = (Math.Max(block, offset), Math.Min(block + BlockBytes, offset + n));
                if (from < to)
                    content.AsSpan((int)(from - block), (int)(to - from)).CopyTo(buffer[(int)(from - offset)..]);
            }
            return n;
        }
    }

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        Reserve(offset, bytes.Length);
        if (offset + bytes.Length > Length)
            disk.TakeSpace(Path, offset + bytes.Length - Length);
        lock (disk.Gate)
        {
            disk.Begin(DiskEventKind.Write, id, offset, bytes, Path);
            lock (_gate)
            {
                WriteImage(offset, bytes);
                Refresh();
            }
        }
    }

    public void Sync() => disk.Do(new DiskEvent(DiskEventKind.Sync, id, 0, null, Path), static () => { });

    public void Allocate(long length)
    {
        if (length <= Length)
            return;
        disk.TakeSpace(Path, length - Length);
        disk.Do(new DiskEvent(DiskEventKind.Allocate, id, length, null, Path), () => SetLength(length));
    }

    public void Truncate(long length) =>
        disk.Do(new DiskEvent(DiskEventKind.Truncate, id, length, null, Path), () => SetLength(length));

    public bool PunchHole(long offset, long length)
    {
        if (!disk.CanPunchHoles)
            return false;
        disk.Do(
            new DiskEvent(DiskEventKind.PunchHole, id, offset, null, Path) { Length = length },
            () =>
            {
                lock (_gate)
                {
                    Image.Content.Slice((int)offset, (int)length).Clear();
                    for (var block = offset / BlockBytes; block < (offset + length) / BlockBytes; block++)
                    {
                        if (_holes.Add(block))
                            disk.TakeSpace(Path, -BlockBytes);
                    }
                }
            }
        );
        return true;
    }

    public void Reserve(long offset, long length)
    {
        lock (disk.Gate)
        {
            for (var block = offset / BlockBytes; _holes.Count > 0 && block * BlockBytes < offset + length; block++)
            {
                if (!_holes.Contains(block))
                    continue;
                disk.TakeSpace(Path, BlockBytes);
                _holes.Remove(block);
            }
        }
    }

    public nint Map(long reservedBytes)
    {
        lock (_gate)
        {
            if (_mapped)
                throw new InvalidOperationException($"{Path} is already mapped.");
            _mapped = true;
            return Image.Reserve(reservedBytes);
        }
    }

    public int MappedPageBytes => disk.SystemPageBytes;

    /// <remarks>
    /// Behaves like mprotect, a store through the mapping and madvise. The start must be a multiple of the system's
    /// page; the end is rounded up to one.
    /// </remarks>
    public bool TryFreeze(long offset, long length)
    {
        if (!disk.CanFreeze || offset % disk.SystemPageBytes != 0)
            return false;
        lock (_gate)
        {
            for (var block = offset; block < RoundUp(offset + length) && block < _length; block += BlockBytes)
            {
                if (!_frozen.ContainsKey(block))
                {
                    _frozen.Add(
                        block,
                        Image.Content.Slice((int)block, (int)Math.Min(BlockBytes, _length - block)).ToArray()
                    );
                }
            }
            return true;
        }
    }

    public void Thaw(long offset, long length)
    {
        if (offset % disk.SystemPageBytes != 0)
        {
            throw new IOException(
                $"{Path}: thawing of {length} mapped bytes at {offset} failed: Invalid argument (error 22)."
            );
        }

        lock (_gate)
        {
            for (var block = offset; block < RoundUp(offset + length); block += BlockBytes)
            {
                if (_frozen.Remove(block, out var content))
                    Image.Write(block, content);
            }
        }
    }

    private long RoundUp(long offset) => (offset + disk.SystemPageBytes - 1) & -disk.SystemPageBytes;

    /// <summary>Ends the mapping; the file's content stays on the disk.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            foreach (var (block, content) in _frozen)
                Image.Write(block, content);
            _frozen.Clear();
            _mapped = false;
        }
    }

    /// <summary>
    /// Writes unfrozen blocks to the image, which the mapping shows, and keeps the content of frozen ones aside.
    /// </summary>
    private void WriteImage(long offset, ReadOnlySpan<byte> bytes)
    {
        if (_frozen.Count == 0)
        {
            Image.Write(offset, bytes);
            return;
        }
        while (bytes.Length > 0)
        {
            var block = offset & -BlockBytes;
            var n = (int)Math.Min(bytes.Length, block + BlockBytes - offset);
            if (_frozen.TryGetValue(block, out var content))
                bytes[..n].CopyTo(content.AsSpan((int)(offset - block)));
            else
                Image.Write(offset, bytes[..n]);
            offset += n;
            bytes = bytes[n..];
        }
    }

    private void SetLength(long length)
    {
        lock (_gate)
        {
            _holes.RemoveWhere(block => block * BlockBytes >= length);
            foreach (var block in _frozen.Keys.Where(b => b >= length).ToList())
                _frozen.Remove(block);
            Image.SetLength(length);
            Refresh();
        }
    }
}
