namespace Pipeline.Indexing.Analysis;

/// <summary>
/// Terms as keys of sets and dictionaries that are searched by span, without allocation. The hash differs from process
/// to process.
/// </summary>
internal sealed class TermComparer : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>
{
    private TermComparer() { }

    /// <summary>The one comparer.</summary>
    public static TermComparer Instance { get; } = new();

    public bool Equals(byte[]? x, byte[]? y) => x is null || y is null ? x == y : Equals((ReadOnlySpan<byte>)x, y);

    public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

    public int GetHashCode(byte[] obj) => GetHashCode((ReadOnlySpan<byte>)obj);

    public int GetHashCode(ReadOnlySpan<byte> alternate)
    {
        var hash = default(HashCode);
        hash.AddBytes(alternate);
        return hash.ToHashCode();
    }

    public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();
}
