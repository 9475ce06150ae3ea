namespace Pipeline.Indexing;

/// <summary>
/// The terms that batches have of one field, in order, each with the batches that have it side by side.
/// </summary>
internal sealed unsafe class TermMerge(IndexField field, IReadOnlyList<IndexBatch> batches, int[] bases, bool[] hasDead)
{
    private int[]?[] _lengths = [];

    public IndexField Field { get; } = field;

    /// <summary>The field in each batch; null if the batch has no values of it.</summary>
    public FieldBatch?[] Parts { get; } = [.. batches.Select(b => b.Fields.FirstOrDefault(f => f.Field == field))];

    public SortedTerm[] Terms { get; private set; } = [];

    /// <summary>The entry number that a batch's entries count from.</summary>
    public int Base(int batch) => bases[batch];

    /// <summary>Whether an entry of a batch was deleted by it or a later one.</summary>
    public bool IsDead(int batch, int entry) => hasDead[batch] && batches[batch].Documents.Entry(entry).IsDeleted;

    public BatchTerm* this[in SortedTerm term] => Parts[term.Batch]!.Terms[term.Index];

    public bool IsSearched => Field.Options.Indexing == TermForm.Search;

    /// <summary>The tokens of the texts of a batch, by entry.</summary>
    public int[] Lengths(int batch) => _lengths[batch]!;

    /// <summary>Whether some entry of a batch is dead.</summary>
    public bool HasDead(int batch) => hasDead[batch];

    /// <summary>Puts the terms in order.</summary>
    public void Sort()
    {
        var count = Parts.Sum(p => p?.Terms.Count ?? 0);
        var terms = new SortedTerm[count];
        var at = 0;
        for (var batch = 0; batch < Parts.Length; batch++)
        {
            if (Parts[batch] is not { } part)
                continue;
            for (var i = 0; i < part.Terms.Count; i++)
                terms[at++] = new SortedTerm(TermTable.KeyOf(part.Terms[i]), i, batch);
        }

        Array.Sort(terms);
        Terms = terms;
        _lengths = [.. Parts.Select((p, i) => p is null || !IsSearched ? null : LengthsOf(p, batches[i].EntryCount))];
    }

    /// <summary>
    /// Divides the terms into <paramref name="parts"/> ranges of about the same size, and returns their bounds. No term
    /// is split.
    /// </summary>
    public int[] Divide(int parts)
    {
        var bounds = new int[parts + 1];
        for (var i = 1; i < parts; i++)
        {
            var at = Math.Max(bounds[i - 1], (int)((long)Terms.Length * i / parts));
            while (at > 0 && at < Terms.Length && Terms[at].IsSame(Terms[at - 1]))
                at++;
            bounds[i] = at;
        }

        bounds[parts] = Terms.Length;
        return bounds;
    }

    private static int[] LengthsOf(FieldBatch part, int entries)
    {
        var lengths = new int[entries];
        foreach (var pair in part.Lengths.Span)
            lengths[pair.Entry] = pair.Value;
        return lengths;
    }
}
