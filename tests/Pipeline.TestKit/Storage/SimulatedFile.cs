using Pipeline.Storage;

namespace Pipeline.TestKit.Storage;

/// <summary>A file of the simulated disk as its process sees it: what was written is there, durable or not.</summary>
internal sealed unsafe class SimulatedFile(SimulatedDisk disk, int id, string path, byte[] bytes) : IStorageFile
{
    private readonly Lock _gate = new();
    private byte[] _bytes = bytes;
    private long _length = bytes.Length;
    private AnonymousMemory? _mapping;

    public int Id => id;

    public string Path { get; set; } = path;

    public long Length => Volatile.Read(ref _length);

    public byte[] ToArray()
    {
        lock (_gate)
            return Content.ToArray();
    }

    public int Read(long offset, Span<byte> buffer)
    {
        lock (_gate)
        {
            var n = (int)Math.Clamp(_length - offset, 0, buffer.Length);
            Content.Slice((int)Math.Min(offset, _length), n).CopyTo(buffer);
            return n;
        }
    }

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        var copy = bytes.ToArray();
        if (offset + copy.Length > Length)
            disk.TakeSpace(Path, offset + copy.Length - Length);
        disk.Do(new DiskEvent(DiskEventKind.Write, id, offset, copy, Path), () =>
        {
            lock (_gate)
            {
                Resize(Math.Max(_length, offset + copy.Length));
                copy.CopyTo(Content[(int)offset..]);
            }
        });
    }

    public void Sync() => disk.Do(new DiskEvent(DiskEventKind.Sync, id, 0, null, Path), static () => { });

    public void Allocate(long length)
    {
        if (length <= Length)
            return;
        disk.TakeSpace(Path, length - Length);
        disk.Do(new DiskEvent(DiskEventKind.Allocate, id, length, null, Path), () => SetLength(length));
    }

    public void Truncate(long length) => disk.Do(new DiskEvent(DiskEventKind.Truncate, id, length, null, Path), () => SetLength(length));

    public void PunchHole(long offset, long length) => Write(offset, new byte[Math.Min(length, Length - offset)]);

    public nint Map(long reservedBytes)
    {
        lock (_gate)
        {
            if (_mapping is not null)
                throw new InvalidOperationException($"{Path} is already mapped.");
            var mapping = new AnonymousMemory(reservedBytes);
            Content.CopyTo(new Span<byte>(mapping.Address, (int)_length));
            _mapping = mapping;
            return (nint)mapping.Address;
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            if (_mapping is null)
                return;
            _bytes = Content.ToArray();
            _mapping.Dispose();
            _mapping = null;
        }
    }

    private Span<byte> Content => _mapping is null ? _bytes.AsSpan(0, (int)_length) : new Span<byte>(_mapping.Address, (int)_length);

    private void SetLength(long length)
    {
        lock (_gate)
        {
            if (length < _length)
                Content[(int)length..].Clear();
            Resize(length);
        }
    }

    private void Resize(long length)
    {
        if (_mapping is null && length > _bytes.Length)
            Array.Resize(ref _bytes, (int)Math.Max(length, _bytes.Length * 2L));
        _length = length;
    }
}
