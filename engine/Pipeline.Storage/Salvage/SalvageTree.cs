namespace Pipeline.Storage;

/// <summary>
/// One tree of a damaged store while it is rebuilt: the leaves found so far, and the gaps between them.
/// </summary>
internal sealed class SalvageTree(OfflinePages pages, string name, bool isNameKnown, long? expected)
{
    private readonly List<(byte[] First, byte[] Last)> _spans = [];
    private readonly List<LeafGap> _inner = [];

    public string Name => name;

    public bool IsNameKnown => isNameKnown;

    public long? Expected => expected;

    public ushort Tag { get; } = TreeTag.Of(name);

    public List<FoundLeaf> Leaves { get; } = [];

    public List<LeafGap> Gaps { get; } = [];

    /// <summary>Keys that leaves hold but whose values lie on damaged pages.</summary>
    public List<LostKeys> LostValues { get; } = [];

    public long Copied { get; set; }

    /// <summary>
    /// Whether what a page without a parent holds can only have been behind one of the damaged pages.
    /// </summary>
    public bool Fits(byte[] first, byte[] last) => Gaps.Exists(g => g.Range.Contains(first) && g.Range.Contains(last));

    /// <summary>Adopts the leaves found under a page without a parent.</summary>
    public void Adopt(LeafWalk found)
    {
        var from = 0;
        // Leaves next to each other under one parent have nothing between them, unless one of the gaps lies there.
        for (var i = 0; i < found.Leaves.Count; i++)
        {
            var leaf = found.Leaves[i];
            Leaves.Add(leaf);
            var isLast = i + 1 == found.Leaves.Count;
            if (
                isLast
                || found.Gaps.Exists(g =>
                    g.Range.From is { } key
                    && key.AsSpan().SequenceCompareTo(First(leaf)) > 0
                    && key.AsSpan().SequenceCompareTo(First(found.Leaves[i + 1])) < 0
                )
            )
            {
                _spans.Add((First(found.Leaves[from]), Last(leaf)));
                from = i + 1;
            }
        }
        _inner.AddRange(found.Gaps);
    }

    /// <summary>Where keys are lost, once all is adopted and copied.</summary>
    public IReadOnlyList<LostKeys> Lost()
    {
        var lost = new List<LostKeys>(LostValues);
        if (expected != Copied + LostValues.Count)
        {
            foreach (var gap in Gaps)
                lost.AddRange(Without(gap));
        }
        return
        [
            .. lost.OrderBy(
                l => l.Range.From ?? [],
                Comparer<byte[]>.Create(static (a, b) => a.AsSpan().SequenceCompareTo(b))
            ),
        ];
    }

    /// <summary>The first key of a leaf.</summary>
    public byte[] First(FoundLeaf leaf) => LeafWalk.KeyOf(leaf.Page(pages), 0);

    /// <summary>The last key of a leaf.</summary>
    public byte[] Last(FoundLeaf leaf) => leaf.Page(pages) is var page ? LeafWalk.KeyOf(page, page.Count - 1) : [];

    /// <summary>The parts of a gap that adopted leaves do not cover.</summary>
    private IEnumerable<LostKeys> Without(LeafGap gap)
    {
        var from = gap.Range.From;
        foreach (
            var (first, last) in _spans
                .Where(s => gap.Range.Contains(s.First))
                .OrderBy(s => s.First, Comparer<byte[]>.Create(static (a, b) => a.AsSpan().SequenceCompareTo(b)))
        )
        {
            if (from is null || from.AsSpan().SequenceCompareTo(first) < 0)
                yield return Make(new KeyRange(from, first));
            from = [.. last, 0];
        }
        if (gap.Range.Before is null || from is null || from.AsSpan().SequenceCompareTo(gap.Range.Before) < 0)
            yield return Make(new KeyRange(from, gap.Range.Before));

        LostKeys Make(KeyRange range)
        {
            // A page below that is damaged too says more than the one above.
            var cause = _inner.Find(g => g.Range.From is { } key && range.Contains(key)) ?? gap;
            return new LostKeys(name, range, cause.Page, cause.Reason);
        }
    }
}
