using System.Diagnostics;

namespace Pipeline.Indexing;

/// <summary>
/// A part of a query, tied to one snapshot. It knows its cost, and opens iterators and scorers over its entries. These
/// include deleted entries; callers that show or count entries must remove them.
/// </summary>
internal abstract class QueryStep(QueryExecution execution, string operation, string detail)
{
    private long _ticks;

    public QueryExecution Execution => execution;

    /// <summary>What it does, for the plan.</summary>
    public string Operation => operation;

    /// <summary>Field, value or way, for the plan.</summary>
    public string Detail { get; protected set; } = detail;

    /// <summary>
    /// How many entries it is expected to have; exact for single terms and ranges of numbers, as long as nothing is
    /// deleted.
    /// </summary>
    public abstract long Estimate { get; }

    /// <summary>Whether all its entries have the same score.</summary>
    public virtual bool IsConstant => true;

    /// <summary>Whether <see cref="Count"/> reads next to nothing.</summary>
    public virtual bool CountsWithoutReading => false;

    /// <summary>
    /// Whether <see cref="AddTo"/> takes little for each entry, because nothing has to be looked for.
    /// </summary>
    public virtual bool IsQuickSet => false;

    /// <summary>The steps that it takes its entries from.</summary>
    public virtual IReadOnlyList<QueryStep> Steps => [];

    /// <summary>How many entries it gave, if it was read with timings or counted.</summary>
    public long? Actual { get; set; }

    /// <summary>A new iterator over the entries.</summary>
    public EntryIterator Open() => execution.Options.Timings ? Measure(OpenEntries) : OpenEntries();

    /// <summary>
    /// Opens an iterator over the entries for use as a filter: it is asked only about entries of another iterator that
    /// has <paramref name="lead"/> of them.
    /// </summary>
    public virtual EntryIterator OpenFilter(long lead) => Open();

    /// <summary>A new scorer over the entries; scores are multiplied by the boost.</summary>
    public Scorer OpenScorer(float boost) =>
        execution.Options.Timings ? new MeasuredScorer(Measure(() => OpenScores(boost)), this) : OpenScores(boost);

    /// <summary>
    /// As <see cref="OpenScorer"/>, but never wrapped, so that a search sees what kind of scorer it is.
    /// </summary>
    public Scorer OpenOutermost(float boost) => OpenScores(boost);

    /// <summary>
    /// The exact number of live entries, if it can be had without reading all of them one by one; else null.
    /// </summary>
    public virtual long? Count() => null;

    /// <summary>A lower bound on the number of live entries, as tight as possible without reading them.</summary>
    public virtual long AtLeast => 0;

    /// <summary>The entries in any order, each once.</summary>
    public virtual EntryBatches OpenUnordered() => new RisingBatches(Open());

    /// <summary>Opens a test of whether an entry is among them; null if there is no quick one.</summary>
    public virtual EntryProbe? OpenProbe() => null;

    /// <summary>Puts all entries into a set.</summary>
    public virtual void AddTo(EntrySet set) => set.AddAll(Open());

    /// <summary>Why an entry scores as it does; null if it is not among the entries.</summary>
    public virtual Explanation? Explain(int entry, float boost) =>
        OpenEntries().SkipTo(entry) == entry ? new Explanation(boost, $"constant score of {operation} {Detail}") : null;

    /// <summary>The step as part of the plan.</summary>
    public PlanNode Plan()
    {
        TimeSpan? elapsed = execution.Options.Timings ? Stopwatch.GetElapsedTime(0, _ticks) : null;
        return new PlanNode(
            operation,
            Detail,
            Math.Min(Estimate, execution.Entries),
            Actual,
            elapsed,
            [.. Steps.Select(s => s.Plan())]
        );
    }

    /// <summary>Adds to the time within the step.</summary>
    public void Spend(long since) => _ticks += Stopwatch.GetTimestamp() - since;

    protected abstract EntryIterator OpenEntries();

    protected virtual Scorer OpenScores(float boost) => new ConstantScorer(OpenEntries(), boost);

    private MeasuredIterator Measure(Func<EntryIterator> open)
    {
        var start = Stopwatch.GetTimestamp();
        var entries = open();
        Spend(start);
        return new MeasuredIterator(entries, this);
    }

    private Scorer Measure(Func<Scorer> open)
    {
        var start = Stopwatch.GetTimestamp();
        var scorer = open();
        Spend(start);
        return scorer;
    }
}
