using Microsoft.Win32.SafeHandles;

namespace Pipeline.Cluster;

/// <summary>
/// Reads the kept records of a directory log. It remembers where it stopped, so the next read does not search. Used by
/// one thread at a time.
/// </summary>
internal sealed class SegmentReader(DirectoryLogFolder folder, int maxRecordBytes) : IDisposable
{
    private SafeFileHandle? _file;
    private long _segment = -1,
        _place,
        _position;

    public LogBatch Read(long from, int maxBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(from);
        var end = folder.ReadEnd();
        if (from < end.First)
            throw new LogTrimmedException(folder.Path, from, end.First);
        if (from > end.End)
            throw new LogTruncatedException(folder.Path, from, end.End);
        var records = new List<ReadOnlyMemory<byte>>();
        if (from == end.End)
            return new LogBatch(from, records, end.End);
        try
        {
            Seek(from);
            for (long place = from, bytes = 0; place < end.End && (bytes < maxBytes || place == from); place++)
            {
                var record = Next();
                records.Add(record);
                bytes += record.Length;
            }
        }
        catch (FileNotFoundException) when (folder.ReadEnd().First > from)
        {
            throw new LogTrimmedException(folder.Path, from, folder.ReadEnd().First);
        }
        return new LogBatch(from, records, end.End);
    }

    public void Dispose() => _file?.Dispose();

    private void Seek(long from)
    {
        if (_file is not null && _place == from)
            return;
        if (_file is null || from < _place)
            Open(folder.Segments().FindLast(first => first <= from));
        while (_place < from)
            Next();
    }

    private byte[] Next()
    {
        if (Frame.TryRead(_file!, _position, _place, maxRecordBytes) is not { } record)
        {
            // Each file is named by its first place, so the next file has the place that is missing here.
            if (_segment == _place || !File.Exists(folder.SegmentPath(_place)))
            {
                throw new LogDamagedException(
                    folder.Path,
                    _place,
                    $"no whole record is at {_position} of '{folder.SegmentPath(_segment)}'"
                );
            }

            Open(_place);
            return Next();
        }
        _place++;
        _position += Frame.HeaderBytes + record.Length;
        return record;
    }

    private void Open(long segment)
    {
        _file?.Dispose();
        _file = null;
        _file = File.OpenHandle(
            folder.SegmentPath(segment),
            FileMode.Open,
            FileAccess.Read,
            FileShare.ReadWrite | FileShare.Delete
        );
        (_segment, _place, _position) = (segment, segment, SegmentWriter.SegmentHeaderBytes);
    }
}
