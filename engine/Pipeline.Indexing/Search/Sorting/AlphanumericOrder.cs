using System.Buffers.Binary;

namespace Pipeline.Indexing;

/// <summary>
/// The order in which runs of ASCII digits count as numbers of any length and all else by its bytes. Of numbers that
/// are equal the one with fewer leading zeros comes first.
/// </summary>
internal static class AlphanumericOrder
{
    /// <summary>Compares two terms.</summary>
    public static int Compare(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        var (i, j, zeros) = (0, 0, 0);
        while (i < left.Length && j < right.Length)
        {
            if (!char.IsAsciiDigit((char)left[i]) || !char.IsAsciiDigit((char)right[j]))
            {
                if (left[i] != right[j])
                    return left[i].CompareTo(right[j]);
                i++;
                j++;
                continue;
            }

            var (a, b) = (Digits(left[i..]), Digits(right[j..]));
            var x = left.Slice(i, a).TrimStart((byte)'0');
            var y = right.Slice(j, b).TrimStart((byte)'0');
            var order = x.Length != y.Length ? x.Length.CompareTo(y.Length) : x.SequenceCompareTo(y);
            if (order != 0)
                return order;
            if (zeros == 0)
                zeros = a.CompareTo(b);
            i += a;
            j += b;
        }

        var rest = (left.Length - i).CompareTo(right.Length - j);
        return rest != 0 ? rest : zeros;
    }

    /// <summary>
    /// A number that rises with the order: the bytes before the first digit, which itself is taken for 0.
    /// </summary>
    public static long Key(ReadOnlySpan<byte> term)
    {
        Span<byte> head = stackalloc byte[8];
        head.Clear();
        for (var i = 0; i < Math.Min(8, term.Length); i++)
        {
            head[i] = term[i];
            if (!char.IsAsciiDigit((char)term[i]))
                continue;
            head[i] = (byte)'0';
            break;
        }

        return (long)(BinaryPrimitives.ReadUInt64BigEndian(head) ^ (1UL << 63));
    }

    private static int Digits(ReadOnlySpan<byte> text)
    {
        var end = text.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        return end < 0 ? text.Length : end;
    }
}
