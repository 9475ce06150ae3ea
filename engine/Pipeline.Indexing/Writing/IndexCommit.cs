using System.Runtime.ExceptionServices;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>
/// Computes how batches change the stored index, as logs of puts, against a snapshot. No other change to the index may
/// come in between. The transaction only applies the logs.
/// </summary>
/// <remarks>
/// Some parts run on several threads. They are: documents and deleted entries (<c>.Documents</c>); for each field its
/// terms and lists (<see cref="TermMerge"/>); and its columns and numbers (<c>.Values</c>).
/// </remarks>
internal sealed partial class IndexCommit : IDisposable
{
    /// <summary>Documents that one thread prepares sooner than it could wake others.</summary>
    private const int SmallCommit = 16;

    private readonly StorageEnvironment _environment;
    private readonly IReadOnlyList<IndexBatch> _batches;
    private readonly int[] _bases;
    private readonly bool[] _hasDead;
    private readonly ParallelOptions _parallel;
    private readonly IndexHeader _before;
    private readonly List<PutLog> _logs = [];
    private readonly List<int> _removed = [];

    /// <summary>Of each field that the batches have or deleted entries had: its state after the commit.</summary>
    private readonly SortedDictionary<int, FieldState> _fieldStates = [];
    private int _dead;
    private int _nextLists;

    public IndexCommit(
        StorageEnvironment environment,
        IReadOnlyList<IndexBatch> batches,
        int threads,
        CancellationToken ct
    )
    {
        _environment = environment;
        _batches = batches;
        IsSmall = batches.Sum(b => (long)b.Documents.Documents) <= SmallCommit;
        _parallel = new ParallelOptions { MaxDegreeOfParallelism = IsSmall ? 1 : threads, CancellationToken = ct };
        using var snapshot = environment.BeginRead();
        _before = IndexHeader.Read(snapshot);
        _bases = new int[batches.Count];
        _hasDead = new bool[batches.Count];
        long next = _before.EntryCount;
        for (var i = 0; i < batches.Count; i++)
        {
            _bases[i] = (int)next;
            next += batches[i].EntryCount;
            if (next > IndexLimits.Entries)
                throw new IndexFullException(next, IndexLimits.Entries);
        }

        After = _before with { EntryCount = (int)next };
    }

    /// <summary>Whether handing its preparation to other threads costs more than it saves.</summary>
    public bool IsSmall { get; }

    /// <summary>The state that the commit leads to; complete when <see cref="Prepare"/> has returned.</summary>
    public IndexHeader After { get; private set; }

    /// <summary>Bytes of the prepared changes.</summary>
    public long Bytes => _logs.Sum(l => l.Bytes);

    /// <summary>Works out all changes.</summary>
    /// <param name="fields">All fields, by number.</param>
    /// <param name="progress">The progress to commit.</param>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public void Prepare(IReadOnlyList<IndexField> fields, long progress)
    {
        try
        {
            PrepareParts(fields, progress);
        }
        catch (AggregateException e)
        {
            // Parts that run side by side may fail together; the first error says enough.
            ExceptionDispatchInfo.Throw(e.Flatten().InnerExceptions[0]);
        }
    }

    /// <summary>Makes the changes in a transaction.</summary>
    public void Apply(WriteTransaction transaction)
    {
        foreach (var log in _logs)
            log.Apply(transaction);
    }

    public void Dispose()
    {
        foreach (var log in _logs)
            log.Dispose();
        _logs.Clear();
    }

    private void PrepareParts(IReadOnlyList<IndexField> fields, long progress)
    {
        var numbers = _batches.SelectMany(b => b.Fields).Select(f => f.Field.Number).Distinct().Order().ToArray();
        var merges = numbers.Select(n => new TermMerge(fields[n], _batches, _bases, _hasDead)).ToArray();
        Parallel.For(
            0,
            merges.Length + 1,
            _parallel,
            i =>
            {
                if (i == 0)
                    PrepareDocuments();
                else
                    merges[i - 1].Sort();
            }
        );
        using (var snapshot = _environment.BeginRead())
        {
            snapshot.TryOpenTree(IndexTrees.Fields, out var tree);
            foreach (var field in fields)
            {
                var state = FieldRecord.Read(tree, field.Number);
                if (state.Kinds != 0 || Array.BinarySearch(numbers, field.Number) >= 0)
                    _fieldStates[field.Number] = state;
            }
        }

        var work = new List<(long Cost, Action<ReadTransaction> Run)>();
        AddTermWork(work, merges);
        AddValueWork(work);
        work.Add((After.EntryCount - _before.EntryCount, PrepareEntries));
        Run(work);

        var lists = NewLog(IndexTrees.Fields);
        foreach (var (number, state) in _fieldStates)
            FieldRecord.Write(lists, fields[number], state);
        After = After with
        {
            Gone = _before.Gone + _dead + _removed.Count,
            Pending = _before.Pending + _removed.Count,
            Progress = progress,
            NextList = _before.NextList + (ulong)_nextLists,
        };
        After.Write(NewLog(IndexTrees.State));
    }

    private PutLog NewLog(string tree)
    {
        var log = new PutLog(tree);
        lock (_logs)
            _logs.Add(log);
        return log;
    }

    /// <summary>Runs the parts, the most costly first. Each thread has its own snapshot.</summary>
    private void Run(List<(long Cost, Action<ReadTransaction> Run)> work)
    {
        work.Sort((left, right) => right.Cost.CompareTo(left.Cost));
        var next = -1;
        Parallel.For(
            0,
            Math.Min(_parallel.MaxDegreeOfParallelism, work.Count),
            _parallel,
            _ =>
            {
                using var snapshot = _environment.BeginRead();
                for (var i = Interlocked.Increment(ref next); i < work.Count; i = Interlocked.Increment(ref next))
                {
                    _parallel.CancellationToken.ThrowIfCancellationRequested();
                    work[i].Run(snapshot);
                }
            }
        );
    }

    private static Tree? Open(ReadTransaction snapshot, string name) =>
        snapshot.TryOpenTree(name, out var tree) ? tree : null;
}
