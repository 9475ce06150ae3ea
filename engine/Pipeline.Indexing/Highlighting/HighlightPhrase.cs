namespace Pipeline.Indexing.Highlighting;

/// <summary>A phrase that is looked for, and the places of its terms in the text that is being read.</summary>
internal sealed class HighlightPhrase(
    int number,
    IReadOnlyList<(ReadOnlyMemory<byte> Term, int Position)> terms,
    int slop
)
{
    /// <summary>Its number among the terms and phrases of the search.</summary>
    public int Number { get; } = number;

    /// <summary>
    /// Gives each token of the text that belongs to an occurrence. A term at position p that should stand at place q is
    /// moved to p - q; where those of all terms lie within slop of each other, their tokens are the phrase.
    /// </summary>
    public IEnumerable<int> Occurrences(IReadOnlyDictionary<byte[], List<(int Position, int Token)>> places)
    {
        var moved = new List<(int Position, int Term, int Token)>();
        for (var t = 0; t < terms.Count; t++)
        {
            if (!places.TryGetValue(terms[t].Term.ToArray(), out var found))
                return [];
            moved.AddRange(found.Select(p => (p.Position - terms[t].Position, t, p.Token)));
        }

        moved.Sort();
        var tokens = new SortedSet<int>();
        var inWindow = new int[terms.Count];
        var (distinct, first) = (0, 0);
        for (var last = 0; last < moved.Count; last++)
        {
            if (inWindow[moved[last].Term]++ == 0)
                distinct++;
            for (; moved[last].Position - moved[first].Position > slop; first++)
            {
                if (--inWindow[moved[first].Term] == 0)
                    distinct--;
            }

            if (distinct < terms.Count)
                continue;
            for (var i = first; i <= last; i++)
                tokens.Add(moved[i].Token);
        }

        return tokens;
    }

    /// <summary>Adds the terms whose places are wanted.</summary>
    public void Want(Dictionary<byte[], List<(int Position, int Token)>> places)
    {
        foreach (var (term, _) in terms)
            places.TryAdd(term.ToArray(), []);
    }
}
