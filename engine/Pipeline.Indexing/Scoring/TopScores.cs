using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Pipeline.Indexing;

/// <summary>
/// The best entries by score: a binary heap with the worst of them at the root. Of equal scores the lower entry number
/// is better. Score and entry are one number, so a comparison is one instruction: scores are 0 or more, and the bits of
/// such floats are in their order.
/// </summary>
internal sealed class TopScores
{
    private ulong[] _heap = [];
    private ulong _below;
    private int _capacity,
        _count;

    /// <summary>How many there are, at most the capacity.</summary>
    public int Count => _count;

    /// <summary>
    /// An entry that comes after all kept ones must score more than this to be kept; -1 as long as any is.
    /// </summary>
    public float Threshold
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get =>
            _count < _capacity ? -1
            : _capacity == 0 ? float.PositiveInfinity
            : BitConverter.UInt32BitsToSingle((uint)(_heap[0] >> 32));
    }

    /// <summary>Empties it for a new search.</summary>
    /// <param name="capacity">How many to keep.</param>
    /// <param name="below">Only hits behind this one are kept; a value that <see cref="Take"/> gave.</param>
    public void Reset(int capacity, ulong below = ulong.MaxValue)
    {
        (_capacity, _count, _below) = (capacity, 0, below);
        if (_heap.Length < capacity)
            _heap = new ulong[Math.Max(capacity, 16)];
    }

    /// <summary>Keeps an entry, if it is among the best so far.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="score">Its score, 0 or more.</param>
    /// <returns>Whether it was kept.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Add(int entry, float score)
    {
        var key = Key(entry, score);
        if (key >= _below)
            return false;
        if (_count == _capacity)
        {
            if (_count == 0 || key <= _heap[0])
                return false;
            Down(key);
            return true;
        }

        Up(key);
        return true;
    }

    /// <summary>Keeps those of many entries that are among the best so far.</summary>
    /// <param name="entries">The entries.</param>
    /// <param name="scores">As many scores, 0 or more.</param>
    public void AddAll(ReadOnlySpan<int> entries, ReadOnlySpan<float> scores)
    {
        var i = 0;
        for (; i <= entries.Length - Vector256<float>.Count; i += Vector256<float>.Count)
        {
            if (
                !Vector256.GreaterThanOrEqualAny(
                    Vector256.Create(scores.Slice(i, Vector256<float>.Count)),
                    Vector256.Create(Threshold)
                )
            )
            {
                continue;
            }

            for (var k = i; k < i + Vector256<float>.Count; k++)
                Add(entries[k], scores[k]);
        }

        for (; i < entries.Length; i++)
            Add(entries[i], scores[i]);
    }

    /// <summary>Takes the best ones out, best first; it is empty afterwards.</summary>
    /// <param name="below">The value to pass as the limit for the hits behind the last one.</param>
    /// <returns>The hits.</returns>
    public Hit[] Take(out ulong below)
    {
        var sorted = _heap.AsSpan(0, _count);
        below = _count == 0 ? 0 : sorted[0];
        sorted.Sort();
        var hits = _count == 0 ? [] : new Hit[_count];
        for (var i = 0; i < hits.Length; i++)
        {
            var key = sorted[^(i + 1)];
            hits[i] = new Hit((int)(uint.MaxValue - (uint)key), BitConverter.UInt32BitsToSingle((uint)(key >> 32)));
        }

        _count = 0;
        return hits;
    }

    // -0.0 has the bits of the greatest number; adding 0 makes it +0.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Key(int entry, float score) =>
        ((ulong)BitConverter.SingleToUInt32Bits(score + 0f) << 32) | (uint.MaxValue - (uint)entry);

    private void Up(ulong key)
    {
        var i = _count++;
        while (i > 0 && _heap[(i - 1) >> 1] > key)
        {
            _heap[i] = _heap[(i - 1) >> 1];
            i = (i - 1) >> 1;
        }

        _heap[i] = key;
    }

    private void Down(ulong key)
    {
        var i = 0;
        for (int child; (child = 2 * i + 1) < _count; i = child)
        {
            if (child + 1 < _count && _heap[child + 1] < _heap[child])
                child++;
            if (_heap[child] >= key)
                break;
            _heap[i] = _heap[child];
        }

        _heap[i] = key;
    }
}
