using System.Runtime.CompilerServices;

namespace Pipeline.Indexing.Analysis.Unicode;

/// <summary>
/// What the analyzers know of each code point, the same on every runtime and with every globalization setting, so that
/// an index means the same wherever it is opened: word-break class, whether it is a letter, lower case. Two-stage
/// tables of 256 code points a block, expanded once from the runs in the generated part (about 60 KB). Immutable; safe
/// for any number of threads.
/// </summary>
internal static partial class UnicodeTables
{
    /// <summary>The bits of a class that the automaton's columns are numbered by.</summary>
    public const int ClassMask = 31;

    /// <summary>The states of <see cref="Transitions"/> times this are its rows.</summary>
    public const int ClassBits = 5;

    private const int LetterBit = 32;
    private const int CodePoints = 0x110000;
    private const int BlockBits = 8;
    private const int BlockSize = 1 << BlockBits;

    private static readonly (byte[] Index, byte[] Blocks) Classes = ExpandClasses();
    private static readonly (byte[] Index, int[] Blocks) Distances = ExpandLowerCase();

    /// <summary>The word-break class of a code point, the column of <see cref="Transitions"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Class(int codePoint) => Lookup(Classes.Index, Classes.Blocks, codePoint) & ClassMask;

    /// <summary>Whether the general category of a code point is one of the letters (L*).</summary>
    public static bool IsLetter(int codePoint) => (Lookup(Classes.Index, Classes.Blocks, codePoint) & LetterBit) != 0;

    /// <summary>The simple lower case of a code point; the code point itself if it has none.</summary>
    public static int ToLower(int codePoint) => codePoint + Lookup(Distances.Index, Distances.Blocks, codePoint);

    /// <summary>
    /// Whether a code point is white space between words: separators but the non-breaking ones, tab to carriage return
    /// and the four information separators (Java's Character.isWhitespace, and so Lucene's).
    /// </summary>
    public static bool IsWhitespace(int codePoint) =>
        codePoint switch
        {
            <= ' ' => codePoint is ' ' or (>= 0x09 and <= 0x0D) or (>= 0x1C and <= 0x1F),
            < 0x1680 => false,
            _ => codePoint
                is 0x1680
                    or (>= 0x2000 and <= 0x2006)
                    or (>= 0x2008 and <= 0x200A)
                    or 0x2028
                    or 0x2029
                    or 0x205F
                    or 0x3000,
        };

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static T Lookup<T>(byte[] index, T[] blocks, int codePoint) =>
        blocks[(index[codePoint >> BlockBits] << BlockBits) | (codePoint & (BlockSize - 1))];

    private static (byte[] Index, byte[] Blocks) ExpandClasses()
    {
        var index = new byte[CodePoints >> BlockBits];
        var blocks = new List<byte[]>();
        var uniform = new byte[LetterBit * 2];
        var runs = ClassRuns;
        int next = 0,
            left = 0;
        byte value = 0;
        for (var b = 0; b < index.Length; b++)
        {
            if (left >= BlockSize && uniform[value] > 0)
            {
                index[b] = uniform[value];
                left -= BlockSize;
                continue;
            }

            var block = new byte[BlockSize];
            if (left >= BlockSize)
                uniform[value] = checked((byte)blocks.Count);
            for (var at = 0; at < BlockSize; )
            {
                if (left == 0)
                {
                    value = runs[next++];
                    left = ReadVarint(runs, ref next);
                }

                var length = Math.Min(left, BlockSize - at);
                block.AsSpan(at, length).Fill(value);
                at += length;
                left -= length;
            }

            index[b] = checked((byte)blocks.Count);
            blocks.Add(block);
        }

        return (index, Concatenate(blocks));
    }

    private static (byte[] Index, int[] Blocks) ExpandLowerCase()
    {
        var index = new byte[CodePoints >> BlockBits];
        var blocks = new List<int[]> { new int[BlockSize] };
        var runs = LowerCaseRuns;
        var at = 0;
        for (var next = 0; next < runs.Length; )
        {
            at += ReadVarint(runs, ref next);
            var count = ReadVarint(runs, ref next);
            var step = ReadVarint(runs, ref next);
            var distance = ReadVarint(runs, ref next);
            for (; count > 0; count--, at += step)
            {
                ref var block = ref index[at >> BlockBits];
                if (block == 0)
                {
                    block = checked((byte)blocks.Count);
                    blocks.Add(new int[BlockSize]);
                }

                blocks[block][at & (BlockSize - 1)] = (distance & 1) == 0 ? distance >> 1 : -(distance >> 1);
            }

            at -= step;
        }

        return (index, Concatenate(blocks));
    }

    private static T[] Concatenate<T>(List<T[]> blocks)
    {
        var all = new T[blocks.Count * BlockSize];
        for (var b = 0; b < blocks.Count; b++)
            blocks[b].CopyTo(all, b * BlockSize);
        return all;
    }

    private static int ReadVarint(ReadOnlySpan<byte> bytes, ref int next)
    {
        var value = 0;
        for (var shift = 0; ; shift += 7)
        {
            int b = bytes[next++];
            value |= (b & 0x7F) << shift;
            if (b < 0x80)
                return value;
        }
    }
}
