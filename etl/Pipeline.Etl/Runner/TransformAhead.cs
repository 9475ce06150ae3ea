using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using Pipeline.Database.Scripts;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Transforms;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>Runs a transform over changes of a batch on several threads, ahead of the one thread that takes what each has sent, in their order. Used by that thread.</summary>
/// <remarks>
/// Only runs are done early. What is held, what stops the task and where a batch ends is decided by the one thread as if it had run each change itself, so messages,
/// and with them those of each key, keep the order of their changes. Of what a run ahead loads, each thread sees a state of its own, no older than the batch's.
/// </remarks>
internal sealed class TransformAhead
{
    // Changes that a thread takes at a time: some milliseconds of a slow transform, and more than taking them costs with a fast one.
    private const int TakenAtOnce = 32;
    private const int MostPerThread = 512;

    private readonly Worker[] _workers;
    private Outcome[] _outcomes = [];
    private int _from;
    private int _end;
    private int _at;

    /// <summary>Makes one for a task.</summary>
    /// <param name="plan">The task.</param>
    /// <param name="feed">What is loaded from.</param>
    /// <param name="reader">Under which name the feed's snapshots are opened.</param>
    public TransformAhead(EtlTaskPlan plan, IChangeFeed feed, string reader)
    {
        _workers = new Worker[plan.Task.MostParallel];
        for (int i = 0; i < _workers.Length; i++) _workers[i] = new Worker(plan, feed, reader);
    }

    /// <summary>Tells that a change of a batch comes next, and runs it and those behind it where that has not been done and they are enough to share.</summary>
    /// <param name="changes">The batch's changes.</param>
    /// <param name="at">Which of them comes next: 0 begins a batch, and each time the one behind the last.</param>
    /// <param name="prepared">Where what they send will go.</param>
    /// <param name="maxBytes">Bytes of messages after which the batch is closed: not many more are made ahead.</param>
    /// <param name="stop">Ends the runs.</param>
    public void Reach(IReadOnlyList<FeedChange> changes, int at, PreparedBatch prepared, long maxBytes, CancellationToken stop)
    {
        if (at == 0) _end = 0;
        _at = at;
        if (at < _end) return;
        _from = at;
        _end = Math.Min(changes.Count, at + (_workers.Length * MostPerThread));
        if (_outcomes.Length < _end - _from) _outcomes = new Outcome[_workers.Length * MostPerThread];
        Array.Clear(_outcomes);
        int threads = Math.Min(_workers.Length, (_end - _from) / TakenAtOnce);
        if (threads < 2) return;

        long most = Math.Max(0, maxBytes - prepared.Bytes) / threads;
        int next = _from;
        for (int i = 0; i < threads; i++) prepared.Part(i, _workers.Length).Messages.Clear();
        try
        {
            Parallel.For(0, threads, new ParallelOptions { CancellationToken = stop }, thread =>
            {
                using Worker worker = _workers[thread];
                PreparedBatch part = prepared.Part(thread, _workers.Length);
                long before = part.Bytes;
                while (part.Bytes - before <= most && Interlocked.Add(ref next, TakenAtOnce) - TakenAtOnce is var first && first < _end)
                {
                    for (int i = first; i < Math.Min(first + TakenAtOnce, _end) && part.Bytes - before <= most; i++)
                        _outcomes[i - _from] = worker.Run(thread, changes[i], part, stop);
                }
            });
        }
        catch (AggregateException e)
        {
            ExceptionDispatchInfo.Throw(e.InnerExceptions.FirstOrDefault(x => x is not OperationCanceledException) ?? e.InnerExceptions[0]);
        }
    }

    /// <summary>Adds to the batch what the change last reached has sent, if it was run ahead.</summary>
    /// <param name="prepared">The batch.</param>
    /// <param name="error">Why it failed, or <see langword="null"/>.</param>
    public bool TryTake(PreparedBatch prepared, out Exception? error)
    {
        Outcome outcome = _at < _end ? _outcomes[_at - _from] : default;
        error = outcome.Error;
        if (!outcome.IsDone) return false;
        if (error is not null) return true;
        Span<OutgoingMessage> sent = CollectionsMarshal.AsSpan(prepared.Part(outcome.Thread, _workers.Length).Messages);
        prepared.Messages.AddRange(sent.Slice(outcome.First, outcome.Count));
        prepared.Bytes += outcome.Bytes;
        return true;
    }

    /// <summary>What a run has given: some messages of a thread's part of the batch, or an error.</summary>
    private readonly record struct Outcome(bool IsDone, int Thread, int First, int Count, long Bytes, Exception? Error);

    /// <summary>One thread's transform. Disposed after each use, when it gives back what it has loaded from.</summary>
    private sealed class Worker : IScriptDocuments, IDisposable
    {
        private readonly IChangeFeed _feed;
        private readonly string _reader;
        private readonly TransformRun _run;
        private IFeedSnapshot? _snapshot;

        internal Worker(EtlTaskPlan plan, IChangeFeed feed, string reader)
        {
            (_feed, _reader) = (feed, reader);
            _run = new TransformRun(plan.Task, plan.Transform, new MessageCollector(plan.Task, feed.DatabaseId, feed.DatabaseName, () => feed.Lineages), this);
        }

        private IFeedSnapshot Snapshot => _snapshot ??= _feed.OpenSnapshot(_reader);

        public bool TryLoad(string id, out ScriptDocument document) => Snapshot.TryLoad(id, out document);

        public ScriptAttachment? LoadAttachment(string id, string name, int maxBytes) => Snapshot.LoadAttachment(id, name, maxBytes);

        public void Dispose()
        {
            _snapshot?.Dispose();
            _snapshot = null;
        }

        internal Outcome Run(int thread, in FeedChange change, PreparedBatch part, CancellationToken stop)
        {
            stop.ThrowIfCancellationRequested();
            (int first, long bytes) = (part.Messages.Count, part.Bytes);
            Exception? error = _run.Run(change, part, stop);
            return new Outcome(true, thread, first, part.Messages.Count - first, part.Bytes - bytes, error);
        }
    }
}
