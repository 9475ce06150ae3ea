using System.Runtime.CompilerServices;

namespace Pipeline.Indexing.Analysis;

/// <summary>
/// The memory that an analyzer works in: up to <see cref="BatchTokens"/> tokens and their terms at a time. It is reused
/// from text to text, so that nothing is allocated per token or text once it has grown to what the texts need (a few
/// KB; as much as the longest text for the keyword analyzers). For one thread, and one enumeration at a time.
/// </summary>
public sealed class TokenBuffer
{
    /// <summary>
    /// How many tokens a tokenizer puts in before the filters see them. A filter that makes several of one may exceed
    /// it.
    /// </summary>
    internal const int BatchTokens = 256;

    private const int FirstTermBytes = 4096;

    private readonly TokenEntry[] _tokenized = new TokenEntry[BatchTokens];
    private TokenEntry[] _expanded = [];

    /// <summary>An empty buffer.</summary>
    public TokenBuffer() => EntryArray = _tokenized;

    /// <summary>The tokens of the batch.</summary>
    internal Span<TokenEntry> Entries => EntryArray.AsSpan(0, Count);

    internal TokenEntry[] EntryArray { get; private set; }

    /// <summary>How many tokens the batch has.</summary>
    internal int Count { get; set; }

    /// <summary>The bytes of the terms; only the first <see cref="TermBytes"/> are in use.</summary>
    internal byte[] Terms { get; private set; } = new byte[FirstTermBytes];

    internal int TermBytes { get; set; }

    /// <summary>The positions of left-out tokens at the end, which the next token is farther away by.</summary>
    internal int SkippedPositions { get; set; }

    internal bool IsFull => Count >= BatchTokens;

    /// <summary>The term of a token, to be changed in place.</summary>
    internal Span<byte> Term(in TokenEntry entry) => Terms.AsSpan(entry.TermOffset, entry.TermLength);

    /// <summary>Makes room for the next batch.</summary>
    internal void Clear() => (Count, TermBytes, EntryArray) = (0, 0, _tokenized);

    /// <summary>
    /// Room for a term of at most <paramref name="bytes"/> bytes behind those that are there. It is kept by
    /// <see cref="Add"/>.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Span<byte> Reserve(int bytes)
    {
        if (Terms.Length - TermBytes < bytes)
            Grow(bytes);
        return Terms.AsSpan(TermBytes);
    }

    /// <summary>
    /// Adds a token whose term is the next <paramref name="length"/> bytes. The batch must not be full.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Add(int length, int start, int end)
    {
        ref var entry = ref EntryArray[Count++];
        entry.TermOffset = TermBytes;
        entry.TermLength = length;
        entry.PositionIncrement = 1;
        entry.Start = start;
        entry.End = end;
        TermBytes += length;
    }

    /// <summary>
    /// Takes the tokens out, once a batch, and leaves room in <see cref="EntryArray"/> for others, whose terms may lie
    /// in the bytes that are there.
    /// </summary>
    internal ReadOnlySpan<TokenEntry> TakeEntries(int capacity)
    {
        var taken = _tokenized.AsSpan(0, Count);
        if (_expanded.Length < capacity)
            _expanded = new TokenEntry[capacity];
        (EntryArray, Count) = (_expanded, 0);
        return taken;
    }

    private void Grow(int bytes)
    {
        var grown = new byte[Math.Max(checked(TermBytes + bytes), (int)Math.Min(Terms.Length * 2L, Array.MaxLength))];
        Terms.AsSpan(0, TermBytes).CopyTo(grown);
        Terms = grown;
    }
}
