using Microsoft.Win32.SafeHandles;

namespace Pipeline.Cluster;

/// <summary>Appends to a directory log, recovers its tail and trims it. Used under the lock.</summary>
internal sealed class SegmentWriter(DirectoryLogFolder folder, DirectoryLogOptions options)
{
    private static ReadOnlySpan<byte> SegmentTitle => "PIPESEG1"u8;

    public const int SegmentHeaderBytes = 8;

    /// <summary>
    /// Updates the file <c>end</c> from the segments, after a process ended during an append or the machine lost power.
    /// </summary>
    public LogEnd Recover()
    {
        var known = folder.TryReadEnd(out var end);
        if (!known)
        {
            var segments = folder.Segments();
            if (segments.Count == 0)
                segments.Add(Create(0));
            end = new LogEnd(segments[0], segments[0], segments[0], SegmentHeaderBytes);
        }
        var found = end;
        while (true)
        {
            using (var file = OpenSegment(found.Segment))
            {
                RepairTitle(file);
                var length = RandomAccess.GetLength(file);
                if (length < found.Position)
                {
                    throw new LogDamagedException(
                        folder.Path,
                        found.End - 1,
                        $"its file ends at {length}, before synced records end at {found.Position}"
                    );
                }

                while (Frame.TryRead(file, found.Position, found.End, options.MaxRecordBytes) is { } record)
                {
                    found = found with
                    {
                        End = found.End + 1,
                        Position = found.Position + Frame.HeaderBytes + record.Length,
                    };
                }

                if (found.Position < length)
                    CutTornTail(file, found, length);
                if (found != end)
                    RandomAccess.FlushToDisk(file);
            }
            // A file that begins at the end is the next segment. The process that created it ended before it published
            // a record there.
            if (found.End == found.Segment || !File.Exists(folder.SegmentPath(found.End)))
                break;
            found = found with { Segment = found.End, Position = SegmentHeaderBytes };
        }
        if (!known || found != end)
            folder.WriteEnd(found, durable: !known);
        return found;
    }

    /// <summary>Appends the records whose expected place is the end.</summary>
    public void Append(List<DirectoryLog.Append> appends, AppendAnswer[] answers)
    {
        var before = Recover();
        options.AtStep?.Invoke(DirectoryLogStep.Locked);
        if (before.Position >= options.SegmentBytes)
            before = before with { Segment = Create(before.End), Position = SegmentHeaderBytes };
        using var file = OpenSegment(before.Segment);
        var end = before;
        try
        {
            for (var i = 0; i < appends.Count; i++)
            {
                if (appends[i].Expected != end.End)
                {
                    answers[i] = AppendAnswer.Moved;
                    continue;
                }
                var frame = Frame.Build(end.End, before.End, appends[i].Record.Span);
                Write(file, frame, end.Position);
                answers[i] = AppendAnswer.At(end.End);
                end = end with { End = end.End + 1, Position = end.Position + frame.Length };
            }
            if (end == before)
                return;
            options.AtStep?.Invoke(DirectoryLogStep.Written);
            RandomAccess.FlushToDisk(file);
            options.AtStep?.Invoke(DirectoryLogStep.Synced);
        }
        catch
        {
            // After a failed sync the page cache may show bytes that the disk lost. They must not count as durable.
            RandomAccess.SetLength(file, before.Position);
            throw;
        }
        folder.WriteEnd(end, durable: false);
        options.AtStep?.Invoke(DirectoryLogStep.Published);
    }

    /// <summary>Publishes a new first place, then removes the files that lie wholly before it.</summary>
    public void Trim(long before)
    {
        var end = Recover();
        ArgumentOutOfRangeException.ThrowIfGreaterThan(before, end.End);
        if (before > end.First)
            folder.WriteEnd(end with { First = before }, durable: true);
        var segments = folder.Segments();
        for (var i = 0; i + 1 < segments.Count && segments[i + 1] <= Math.Max(before, end.First); i++)
            File.Delete(folder.SegmentPath(segments[i]));
        folder.SyncNames();
    }

    private void Write(SafeFileHandle file, byte[] frame, long position)
    {
        if (options.AtStep is { } atStep)
        {
            RandomAccess.Write(file, frame.AsSpan(0, frame.Length / 2), position);
            atStep(DirectoryLogStep.Half);
        }
        RandomAccess.Write(file, frame, position);
    }

    /// <summary>
    /// Truncates what a process left when it ended during an append, unless a later frame proves that the place was
    /// durable.
    /// </summary>
    private void CutTornTail(SafeFileHandle file, in LogEnd found, long length)
    {
        var damaged = length - found.Position > MaxTornBytes(options) || folder.Segments()[^1] > found.Segment;
        if (!damaged)
        {
            var tail = new byte[length - found.Position];
            damaged = Frame.ProveSynced(tail.AsSpan(0, Frame.ReadFully(file, tail, found.Position)), found.End);
        }
        if (damaged)
        {
            throw new LogDamagedException(
                folder.Path,
                found.End,
                $"no whole record is at {found.Position} of '{folder.SegmentPath(found.Segment)}', but later records are there"
            );
        }

        RandomAccess.SetLength(file, found.Position);
    }

    /// <summary>The maximum number of bytes that a group of appends writes before it syncs.</summary>
    private static long MaxTornBytes(DirectoryLogOptions options) =>
        DirectoryLog.MaxRecordsPerSync * (options.MaxRecordBytes + (long)Frame.HeaderBytes);

    private static void RepairTitle(SafeFileHandle file)
    {
        if (RandomAccess.GetLength(file) < SegmentHeaderBytes)
            RandomAccess.Write(file, SegmentTitle, 0);
    }

    private long Create(long first)
    {
        using (
            var file = File.OpenHandle(
                folder.SegmentPath(first),
                FileMode.OpenOrCreate,
                FileAccess.ReadWrite,
                FileShare.ReadWrite | FileShare.Delete
            )
        )
        {
            RandomAccess.Write(file, SegmentTitle, 0);
            RandomAccess.FlushToDisk(file);
        }
        folder.SyncNames();
        return first;
    }

    private SafeFileHandle OpenSegment(long first) =>
        File.OpenHandle(
            folder.SegmentPath(first),
            FileMode.Open,
            FileAccess.ReadWrite,
            FileShare.ReadWrite | FileShare.Delete
        );
}
