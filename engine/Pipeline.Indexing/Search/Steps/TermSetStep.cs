namespace Pipeline.Indexing;

/// <summary>
/// Entries of any of many posting lists: what a prefix, a list of values or a range of terms stands for. Read as a
/// whole they are put into a bitmap; where the first few are enough, the lists are read side by side, only as far as
/// needed.
/// </summary>
internal sealed class TermSetStep : QueryStep
{
    private const int MaxSideBySide = 64;

    private readonly TermSet _terms;
    private readonly bool _lazy;
    private EntrySet? _bitmap;
    private long _count = -1;

    /// <summary>Makes a step.</summary>
    /// <param name="execution">The query.</param>
    /// <param name="operation">What it is, for the plan.</param>
    /// <param name="detail">Field and value.</param>
    /// <param name="terms">The lists.</param>
    /// <param name="lazy">Whether the first entries may be enough.</param>
    public TermSetStep(QueryExecution execution, string operation, string detail, TermSet terms, bool lazy)
        : base(execution, operation, detail)
    {
        (_terms, _lazy) = (terms, lazy && terms.Handles.Count <= MaxSideBySide && terms.Bitmap is null);
        Detail = $"{detail}, {terms.Count} terms";
    }

    public override long Estimate => _count >= 0 ? _count : Math.Min(_terms.DocumentFrequencies, Execution.Entries);

    public override bool IsQuickSet => true;

    public override long AtLeast => Math.Max(0, _terms.MaxDocumentFrequency - Execution.DeletedCount);

    public override long? Count() => _count >= 0 ? _count : _count = Execution.CountLive(Bitmap());

    public override void AddTo(EntrySet set)
    {
        if (_bitmap is not null || _terms.Bitmap is not null)
        {
            set.Or(Bitmap());
            return;
        }

        foreach (var term in _terms.Handles)
            Execution.AddTo(term, set);
    }

    protected override EntryIterator OpenEntries()
    {
        if (_terms.Handles.Count == 1 && _terms.Bitmap is null)
            return Execution.Open(_terms.Handles[0]);
        if (!_lazy || _bitmap is not null)
            return new BitmapIterator(Bitmap(), Estimate);
        return new UnionIterator([.. _terms.Handles.Select(t => Execution.Open(t))]);
    }

    private EntrySet Bitmap()
    {
        if (_bitmap is { } known)
            return known;
        var bitmap = _terms.Bitmap ?? Execution.NewSet(Operation);
        foreach (var term in _terms.Handles)
            Execution.AddTo(term, bitmap);
        return _bitmap = bitmap;
    }
}
