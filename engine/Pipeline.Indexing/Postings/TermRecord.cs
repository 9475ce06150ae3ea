using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>The value of a term in the dictionary: counts, and where its list is.</summary>
/// <remarks>
/// Safety of the pointers: numbers are never read beyond the end of the value. The list behind them is checked by the
/// code that reads it.
/// </remarks>
internal unsafe struct TermRecord
{
    /// <summary>Room for all but a list in the record.</summary>
    public const int MaxHeader = 1 + (7 * VarInt.MaxSize);

    public PostingFlags Flags;
    public int DocumentFrequency;
    public long TotalFrequency;
    public int Id;
    public int MaxFrequency;
    public int MinLength;
    public int LastEntry;
    public ulong List;

    /// <summary>Where the list begins in the record.</summary>
    public int Offset;

    public readonly bool IsChunked => (Flags & PostingFlags.Chunked) != 0;

    public readonly bool HasFrequencies => (Flags & PostingFlags.Frequencies) != 0;

    public readonly bool HasPositions => (Flags & PostingFlags.Positions) != 0;

    public readonly TermInfo ToInfo() =>
        new()
        {
            DocumentFrequency = DocumentFrequency,
            TotalFrequency = TotalFrequency,
            Id = Id,
            MaxFrequency = MaxFrequency == PostingLayout.MaxImpact ? int.MaxValue : MaxFrequency,
            MinLength = MinLength,
        };

    /// <summary>Reads a record; false if it is incomplete or contradicts itself.</summary>
    public static bool TryRead(byte* value, int length, out TermRecord record)
    {
        Unsafe.SkipInit(out record);
        var at = value + 1;
        var end = value + length;
        if (length == 0)
            return false;
        record.Flags = (PostingFlags)(*value);
        if (
            (byte)record.Flags > 7
            || !VarInt.TryRead(ref at, end, out var entries)
            || entries - 1 >= int.MaxValue
            || !VarInt.TryRead(ref at, end, out var id)
            || id > int.MaxValue
            || !VarInt.TryRead(ref at, end, out var last)
            || last >= int.MaxValue
        )
        {
            return false;
        }

        record.DocumentFrequency = (int)entries;
        record.TotalFrequency = (long)entries;
        record.Id = (int)id - 1;
        record.LastEntry = (int)last;
        record.MaxFrequency = record.MinLength = 1;
        record.List = 0;
        if (record.HasFrequencies)
        {
            if (
                !VarInt.TryRead(ref at, end, out var more)
                || more > long.MaxValue - entries
                || !VarInt.TryRead(ref at, end, out var most)
                || most > PostingLayout.MaxImpact
                || !VarInt.TryRead(ref at, end, out var least)
                || least > PostingLayout.MaxImpact
            )
            {
                return false;
            }

            record.TotalFrequency += (long)more;
            record.MaxFrequency = (int)most;
            record.MinLength = (int)least;
        }

        if (record.IsChunked && !VarInt.TryRead(ref at, end, out record.List))
            return false;
        record.Offset = (int)(at - value);
        return true;
    }

    /// <summary>
    /// Writes all but a list in the record, at most <see cref="MaxHeader"/> bytes; returns the place behind it.
    /// </summary>
    public readonly byte* Write(byte* target)
    {
        *target++ = (byte)Flags;
        target = VarInt.Write(target, (uint)DocumentFrequency);
        target = VarInt.Write(target, (uint)(Id + 1));
        target = VarInt.Write(target, (uint)LastEntry);
        if (HasFrequencies)
        {
            target = VarInt.Write(target, (ulong)(TotalFrequency - DocumentFrequency));
            target = VarInt.Write(target, (uint)MaxFrequency);
            target = VarInt.Write(target, (uint)MinLength);
        }

        return IsChunked ? VarInt.Write(target, List) : target;
    }
}
