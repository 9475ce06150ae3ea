namespace Pipeline.Indexing;

/// <summary>Gives each entry a number by which it is put in order, rising. One thread at a time.</summary>
internal abstract class SortSource
{
    /// <summary>What an entry without a value has.</summary>
    public const long Missing = long.MinValue;

    /// <summary>Whether equal numbers mean equal values; otherwise <see cref="Compare"/> decides.</summary>
    public virtual bool IsExact => true;

    /// <summary>Gives the numbers of entries.</summary>
    public abstract void Encode(ReadOnlySpan<int> entries, ReadOnlySpan<float> scores, Span<long> keys);

    /// <summary>Compares the values of two entries with equal numbers.</summary>
    public virtual int Compare(int left, int right) => 0;
}
