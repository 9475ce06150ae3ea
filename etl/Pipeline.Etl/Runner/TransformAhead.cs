using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>Runs a transform over a batch's changes on several threads, ahead of the one thread that collects their
/// messages in order. Only that thread may use it.</summary>
/// <remarks>
/// Only the runs happen early. The collecting thread decides which changes are held, what stops the task and where a
/// batch ends, as if it had run each change itself. So messages, also those of one key, keep the order of their
/// changes. Each thread loads documents from its own snapshot, which is no older than the batch's.
/// </remarks>
internal sealed class TransformAhead
{
    // The number of changes that a thread takes at a time. They keep a slow transform busy for a few milliseconds, and
    // with a fast one they outweigh the cost of taking them.
    private const int TakenAtOnce = 32;
    private const int MaxPerThread = 512;

    private readonly Worker[] _workers;
    private Outcome[] _outcomes = [];
    private int _from;
    private int _end;
    private int _at;

    /// <summary>Creates an instance for a task.</summary>
    /// <param name="plan">The task.</param>
    /// <param name="feed">The feed to load from.</param>
    /// <param name="reader">The reader name under which snapshots of the feed are opened.</param>
    public TransformAhead(EtlTaskPlan plan, IChangeFeed feed, string reader)
    {
        _workers = new Worker[plan.Task.MaxParallelRuns];
        for (var i = 0; i < _workers.Length; i++)
            _workers[i] = new Worker(plan, feed, reader);
    }

    /// <summary>Announces the next change of a batch. Runs it and those after it, unless that is done already or they
    /// are too few to share among threads.</summary>
    /// <param name="changes">The batch's changes.</param>
    /// <param name="at">
    /// The index of the next change. 0 begins a batch; each call passes the index after the previous one.
    /// </param>
    /// <param name="prepared">The batch that will receive their messages.</param>
    /// <param name="maxBytes">Bytes of messages after which the batch is closed. Not many more are made ahead.</param>
    /// <param name="stop">Ends the runs.</param>
    public void Reach(
        IReadOnlyList<FeedChange> changes,
        int at,
        PreparedBatch prepared,
        long maxBytes,
        CancellationToken stop
    )
    {
        if (at == 0)
            _end = 0;
        _at = at;
        if (at < _end)
            return;
        _from = at;
        _end = Math.Min(changes.Count, at + (_workers.Length * MaxPerThread));
        if (_outcomes.Length < _end - _from)
            _outcomes = new Outcome[_workers.Length * MaxPerThread];
        Array.Clear(_outcomes);
        var threads = Math.Min(_workers.Length, (_end - _from) / TakenAtOnce);
        if (threads < 2)
            return;

        var maxBytesEach = Math.Max(0, maxBytes - prepared.Bytes) / threads;
        var next = _from;
        for (var i = 0; i < threads; i++)
            prepared.Part(i, _workers.Length).Messages.Clear();
        try
        {
            Parallel.For(
                0,
                threads,
                new ParallelOptions { CancellationToken = stop },
                thread =>
                {
                    using var worker = _workers[thread];
                    var part = prepared.Part(thread, _workers.Length);
                    var before = part.Bytes;
                    while (
                        part.Bytes - before <= maxBytesEach
                        && Interlocked.Add(ref next, TakenAtOnce) - TakenAtOnce is var first
                        && first < _end
                    )
                    {
                        var end = Math.Min(first + TakenAtOnce, _end);
                        for (var i = first; i < end && part.Bytes - before <= maxBytesEach; i++)
                            _outcomes[i - _from] = worker.Run(thread, changes[i], part, stop);
                    }
                }
            );
        }
        catch (AggregateException e)
        {
            ExceptionDispatchInfo.Throw(
                e.InnerExceptions.FirstOrDefault(x => x is not OperationCanceledException) ?? e.InnerExceptions[0]
            );
        }
    }

    /// <summary>Adds the messages of the last announced change to the batch, if its run was done ahead.</summary>
    /// <param name="prepared">The batch.</param>
    /// <param name="error">Why it failed, or <see langword="null"/>.</param>
    public bool TryTake(PreparedBatch prepared, out Exception? error)
    {
        var outcome = _at < _end ? _outcomes[_at - _from] : default;
        error = outcome.Error;
        if (!outcome.IsDone)
            return false;
        if (error is not null)
            return true;
        var sent = CollectionsMarshal.AsSpan(prepared.Part(outcome.Thread, _workers.Length).Messages);
        prepared.Messages.AddRange(sent.Slice(outcome.First, outcome.Count));
        prepared.Bytes += outcome.Bytes;
        return true;
    }

    /// <summary>The result of a run: some messages of a thread's part of the batch, or an error.</summary>
    private readonly record struct Outcome(bool IsDone, int Thread, int First, int Count, long Bytes, Exception? Error);

    /// <summary>One thread's transform. Disposed after each use to release the snapshot that it loads from.</summary>
    private sealed class Worker : IScriptDocuments, IDisposable
    {
        private readonly IChangeFeed _feed;
        private readonly string _reader;
        private readonly TransformRun _run;
        private IFeedSnapshot? _snapshot;

        internal Worker(EtlTaskPlan plan, IChangeFeed feed, string reader)
        {
            (_feed, _reader) = (feed, reader);
            _run = new TransformRun(
                plan.Task,
                plan.Transform,
                new MessageCollector(plan.Task, feed.DatabaseId, feed.DatabaseName, () => feed.Lineages),
                this
            );
        }

        private IFeedSnapshot Snapshot => _snapshot ??= _feed.OpenSnapshot(_reader);

        public bool TryLoad(string id, out ScriptDocument document) => Snapshot.TryLoad(id, out document);

        public ScriptAttachment? LoadAttachment(string id, string name, int maxBytes) =>
            Snapshot.LoadAttachment(id, name, maxBytes);

        public bool IsStoreFailure(Exception error) => Snapshot.IsStoreFailure(error);

        public void Dispose()
        {
            _snapshot?.Dispose();
            _snapshot = null;
        }

        internal Outcome Run(int thread, in FeedChange change, PreparedBatch part, CancellationToken stop)
        {
            stop.ThrowIfCancellationRequested();
            (var first, var bytes) = (part.Messages.Count, part.Bytes);
            var error = _run.Run(change, part, stop);
            return new Outcome(true, thread, first, part.Messages.Count - first, part.Bytes - bytes, error);
        }
    }
}
