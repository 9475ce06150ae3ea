using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>
/// Pairs of a frequency and a length that bound the scores of a block's entries. For each entry there is a pair with no
/// lower frequency and no greater length. Pairs that another one beats in both are dropped. While more than
/// <see cref="PostingLayout.Impacts"/> are left, the two neighbours whose merging raises the bound least become one.
/// </summary>
/// <remarks>A frequency of 255 means 255 or more. FORMAT.md, "Posting lists".</remarks>
internal sealed class BlockImpacts
{
    private const int MaxFrequencyKept = byte.MaxValue;

    private readonly ushort[] _shortest = new ushort[MaxFrequencyKept + 1]; // by frequency
    private readonly (int Frequency, int Length)[] _pairs = new (int, int)[MaxFrequencyKept + 1];
    private long _lengths;
    private int _count;

    public BlockImpacts() => Array.Fill(_shortest, ushort.MaxValue);

    /// <summary>The greatest frequency.</summary>
    public int MaxFrequency { get; private set; }

    /// <summary>The least length.</summary>
    public int MinLength { get; private set; } = ushort.MaxValue;

    /// <summary>Takes an entry in.</summary>
    public void Add(int frequency, int length)
    {
        frequency = Math.Min(frequency, MaxFrequencyKept);
        length = Math.Min(length, ushort.MaxValue);
        if (length < _shortest[frequency])
            _shortest[frequency] = (ushort)length;
        MaxFrequency = Math.Max(MaxFrequency, frequency);
        MinLength = Math.Min(MinLength, length);
        _lengths += length;
        _count++;
    }

    /// <summary>Takes stored pairs in.</summary>
    public void Read(ReadOnlySpan<byte> stored)
    {
        for (var i = 0; i < PostingLayout.Impacts; i++)
            Add(stored[i], Length(stored, i));
    }

    /// <summary>Writes the pairs; places that are left over repeat the last.</summary>
    public void Write(Span<byte> stored)
    {
        var pairs = Reduce();
        for (var i = 0; i < PostingLayout.Impacts; i++)
        {
            var (frequency, length) = _pairs[Math.Min(i, pairs - 1)];
            stored[i] = (byte)frequency;
            BinaryPrimitives.WriteUInt16LittleEndian(stored[(PostingLayout.Impacts + (2 * i))..], (ushort)length);
        }
    }

    /// <summary>Forgets all entries.</summary>
    public void Clear()
    {
        _shortest.AsSpan(0, MaxFrequency + 1).Fill(ushort.MaxValue);
        (MaxFrequency, MinLength, _lengths, _count) = (0, ushort.MaxValue, 0, 0);
    }

    /// <summary>
    /// The greatest frequency and the least length of stored pairs; <see cref="int.MaxValue"/> for frequencies from 255
    /// on.
    /// </summary>
    public static (int MaxFrequency, int MinLength) Bounds(ReadOnlySpan<byte> stored)
    {
        var (most, least) = (0, int.MaxValue);
        for (var i = 0; i < PostingLayout.Impacts; i++)
            (most, least) = (Math.Max(most, stored[i]), Math.Min(least, Length(stored, i)));
        return (most == MaxFrequencyKept ? int.MaxValue : most, least);
    }

    /// <summary>No entry scores more.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static float MaxScore(ReadOnlySpan<byte> stored, in Bm25 weight) =>
        weight.MaxOfFour(
            BinaryPrimitives.ReadUInt32LittleEndian(stored),
            BinaryPrimitives.ReadUInt64LittleEndian(stored[PostingLayout.Impacts..])
        );

    private static int Length(ReadOnlySpan<byte> stored, int index) =>
        BinaryPrimitives.ReadUInt16LittleEndian(stored[(PostingLayout.Impacts + (2 * index))..]);

    /// <summary>The pairs that are needed, with falling frequencies and lengths.</summary>
    private int Reduce()
    {
        var pairs = 0;
        var shortest = int.MaxValue;
        for (var frequency = MaxFrequency; frequency >= 0; frequency--)
        {
            if (
                _shortest[frequency] >= shortest
                || (_shortest[frequency] == ushort.MaxValue && frequency < MaxFrequency)
            )
            {
                continue;
            }

            shortest = _shortest[frequency];
            _pairs[pairs++] = (frequency, shortest);
        }

        var weight = new Bm25(1, Math.Max(1, _lengths / Math.Max(_count, 1)));
        for (; pairs > PostingLayout.Impacts; pairs--)
            Merge(pairs, weight);
        return pairs;
    }

    private void Merge(int pairs, in Bm25 weight)
    {
        var (best, least) = (0, float.MaxValue);
        for (var i = 0; i + 1 < pairs; i++)
        {
            var (more, fewer) = (_pairs[i], _pairs[i + 1]);
            var growth =
                weight.Score(more.Frequency, fewer.Length)
                - Math.Max(weight.Score(more.Frequency, more.Length), weight.Score(fewer.Frequency, fewer.Length));
            if (growth < least)
                (best, least) = (i, growth);
        }

        _pairs[best] = (_pairs[best].Frequency, _pairs[best + 1].Length);
        _pairs.AsSpan(best + 2, pairs - best - 2).CopyTo(_pairs.AsSpan(best + 1));
    }
}
