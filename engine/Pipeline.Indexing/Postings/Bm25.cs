using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Pipeline.Indexing;

/// <summary>
/// The weight of one term (or phrase) in one field by BM25 (Robertson and Zaragoza 2009) with k1 = 1.2 and b = 0.75,
/// without the factor k1 + 1 that changes no order: <c>boost * idf * f / (f + k1 * (1 - b + b * length / average))</c>.
/// Lengths are exact.
/// </summary>
public readonly struct Bm25 : IEquatable<Bm25>
{
    /// <summary>How soon further occurrences stop counting.</summary>
    public const float K1 = 1.2f;

    /// <summary>How much the length counts.</summary>
    public const float B = 0.75f;

    private readonly float _weight,
        _perToken;

    /// <summary>A weight from an inverse document frequency and the average length.</summary>
    /// <param name="weight">The inverse document frequency times all boosts.</param>
    /// <param name="averageLength">The average number of tokens among entries that have the field.</param>
    public Bm25(float weight, float averageLength)
    {
        _weight = weight;
        _perToken = averageLength > 0 ? K1 * B / averageLength : 0;
    }

    private const float Constant = K1 * (1 - B);

    /// <summary>The greatest score that there can be.</summary>
    public float Limit => _weight;

    /// <summary>The weight of a term: <c>ln(1 + (N - n + 0.5) / (n + 0.5))</c>.</summary>
    /// <param name="entries">How many entries have the field.</param>
    /// <param name="entriesWithTerm">How many of them have the term.</param>
    /// <returns>Its inverse document frequency.</returns>
    public static float Idf(long entries, long entriesWithTerm)
    {
        var found = Math.Min(entries, entriesWithTerm);
        return (float)Math.Log(1 + (entries - found + 0.5) / (found + 0.5));
    }

    /// <summary>The score of an entry.</summary>
    /// <param name="frequency">How often the term occurs in the entry.</param>
    /// <param name="length">How many tokens the field has in the entry.</param>
    /// <returns>The score.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public float Score(float frequency, int length) =>
        _weight * (frequency / (frequency + (Constant + _perToken * length)));

    /// <summary>The scores of many entries; bit for bit the same as <see cref="Score(float, int)"/>.</summary>
    /// <param name="frequencies">How often the term occurs in each.</param>
    /// <param name="lengths">How many tokens the field has in each.</param>
    /// <param name="scores">Takes the scores.</param>
    public void Score(ReadOnlySpan<int> frequencies, ReadOnlySpan<int> lengths, Span<float> scores)
    {
        var count = frequencies.Length;
        ArgumentOutOfRangeException.ThrowIfLessThan(lengths.Length, count);
        ArgumentOutOfRangeException.ThrowIfLessThan(scores.Length, count);
        ref var f = ref MemoryMarshal.GetReference(frequencies);
        ref var l = ref MemoryMarshal.GetReference(lengths);
        ref var s = ref MemoryMarshal.GetReference(scores);
        var i = 0;
        if (Vector.IsHardwareAccelerated)
        {
            var (weight, perToken, constant) = (
                new Vector<float>(_weight),
                new Vector<float>(_perToken),
                new Vector<float>(Constant)
            );
            for (; i <= count - Vector<int>.Count; i += Vector<int>.Count)
            {
                var frequency = Vector.ConvertToSingle(Vector.LoadUnsafe(ref f, (nuint)i));
                var length = Vector.ConvertToSingle(Vector.LoadUnsafe(ref l, (nuint)i));
                (weight * (frequency / (frequency + (constant + perToken * length)))).StoreUnsafe(ref s, (nuint)i);
            }
        }

        for (; i < count; i++)
            Unsafe.Add(ref s, i) = Score(Unsafe.Add(ref f, i), Unsafe.Add(ref l, i));
    }

    /// <summary>The greatest score among four pairs; a frequency of 255 is taken for any from that on.</summary>
    /// <param name="frequencies">Four bytes, the first the lowest.</param>
    /// <param name="lengths">Four numbers of 16 bits, the first the lowest.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal float MaxOfFour(uint frequencies, ulong lengths)
    {
        var f = Vector128.WidenLower(Vector128.WidenLower(Vector128.CreateScalar(frequencies).AsByte())).AsInt32();
        var frequency = Vector128.ConvertToSingle(
            Vector128.ConditionalSelect(Vector128.Equals(f, Vector128.Create(255)), Vector128.Create(int.MaxValue), f)
        );
        var length = Vector128.ConvertToSingle(
            Vector128.WidenLower(Vector128.CreateScalar(lengths).AsUInt16()).AsInt32()
        );
        var scores =
            Vector128.Create(_weight)
            * (frequency / (frequency + (Vector128.Create(Constant) + (Vector128.Create(_perToken) * length))));
        return Math.Max(Math.Max(scores[0], scores[1]), Math.Max(scores[2], scores[3]));
    }

    /// <inheritdoc/>
    public bool Equals(Bm25 other) => _weight.Equals(other._weight) && _perToken.Equals(other._perToken);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is Bm25 other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_weight, _perToken);

    /// <summary>Whether both give the same scores.</summary>
    public static bool operator ==(Bm25 left, Bm25 right) => left.Equals(right);

    /// <summary>Whether they give different scores.</summary>
    public static bool operator !=(Bm25 left, Bm25 right) => !left.Equals(right);
}
