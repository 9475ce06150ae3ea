using Pipeline.Storage;

namespace Pipeline.CrashTests.Storage.Interleavings;

/// <summary>
/// Runs each program on its own thread, one thread at a time, and switches only at the store's steps. The same choices
/// give the same run. It knows the flush's lock and the wait for a reader's slot: it does not choose a thread that
/// would only wait there.
/// </summary>
internal sealed class StepScheduler : IDisposable
{
    private const int Nobody = -1;

    /// <summary>Steps within locks that others take, or where nothing of interest can come between.</summary>
    private static readonly HashSet<StorageStep> Unswitched =
    [
        StorageStep.PlaceTaken,
        StorageStep.VersionRent,
        StorageStep.BufferGrowth,
        StorageStep.FileSwitch,
        StorageStep.Queueing,
        StorageStep.Begin,
        StorageStep.Sealing,
        StorageStep.Reserving,
        StorageStep.Reserved,
        StorageStep.Finished,
        StorageStep.Sealed,
        StorageStep.FlushTaken,
    ];

    private readonly Func<int, bool, int> _choose;
    private readonly Worker[] _workers;
    private readonly ManualResetEventSlim _ended = new();
    private int _flushHolder = Nobody;

    private sealed class Worker(Action program) : IDisposable
    {
        public readonly Action Program = program;
        public readonly SemaphoreSlim Turn = new(0);
        public bool IsDone;
        public bool WantsFlush;
        public bool WaitsForSlot;
        public Exception? Error;

        public void Dispose() => Turn.Dispose();
    }

    /// <summary>Makes one.</summary>
    /// <param name="choose">
    /// Given how many threads can go on and whether the first of them is the one that ran, which one does.
    /// </param>
    /// <param name="programs">What runs.</param>
    public StepScheduler(Func<int, bool, int> choose, params Action[] programs) =>
        (_choose, _workers) = (choose, [.. programs.Select(p => new Worker(p))]);

    /// <summary>Steps at which another thread could have gone on.</summary>
    public int Steps { get; private set; }

    /// <summary>Runs all to their ends; returns the first error, or null.</summary>
    public Exception? Run()
    {
        var threads = new Thread[_workers.Length];
        for (var i = 0; i < _workers.Length; i++)
        {
            var index = i;
            threads[i] = new Thread(() => Work(index), 256 << 10) { IsBackground = true };
            threads[i].Start();
        }
        Pass(Nobody);
        if (!_ended.Wait(TimeSpan.FromSeconds(60)))
            return new TimeoutException("The threads wait for each other.");
        foreach (var thread in threads)
            thread.Join();
        return _workers.Select(w => w.Error).FirstOrDefault(e => e is not null);
    }

    public void Dispose()
    {
        _ended.Dispose();
        foreach (var worker in _workers)
            worker.Dispose();
    }

    private void Work(int index)
    {
        var worker = _workers[index];
        worker.Turn.Wait();
        StepHook.Observer = step => At(index, step);
        try
        {
            worker.Program();
        }
#pragma warning disable CA1031 // What is wrong is the test's result.
        catch (Exception e)
#pragma warning restore CA1031
        {
            worker.Error = e;
        }
        StepHook.Observer = null;
        worker.IsDone = true;
        Pass(index);
    }

    private void At(int index, StorageStep step)
    {
        var worker = _workers[index];
        switch (step)
        {
            case StorageStep.FlushLock:
                worker.WantsFlush = true;
                break;
            case StorageStep.FlushLocked:
                worker.WantsFlush = false;
                _flushHolder = index;
                break;
            case StorageStep.FlushUnlocked:
                _flushHolder = Nobody;
                break;
            case StorageStep.SlotWait:
                worker.WaitsForSlot = true;
                break;
            default:
                if (Unswitched.Contains(step))
                    return;
                break;
        }
        if (Pass(index))
            worker.Turn.Wait();
    }

    /// <summary>Resumes the chosen thread; returns false if that is the calling thread.</summary>
    private bool Pass(int from)
    {
        Span<int> ready = stackalloc int[_workers.Length];
        var count = 0;
        var canStay = from != Nobody && IsReady(from);
        if (canStay)
            ready[count++] = from;
        for (var i = 0; i < _workers.Length; i++)
        {
            if (i != from && IsReady(i))
                ready[count++] = i;
        }
        if (count == 0)
        {
            // All that are left wait for slots, whose readers may have gone on since.
            for (var i = 0; i < _workers.Length; i++)
            {
                if (!_workers[i].IsDone)
                    ready[count++] = i;
            }
        }
        if (count == 0)
        {
            _ended.Set();
            return true;
        }
        var chosen = ready[0];
        if (count > 1)
        {
            Steps++;
            chosen = ready[_choose(count, canStay)];
        }
        foreach (var worker in _workers)
            worker.WaitsForSlot = false;
        if (chosen == from)
            return false;
        _workers[chosen].Turn.Release();
        return true;
    }

    private bool IsReady(int index)
    {
        var worker = _workers[index];
        return !worker.IsDone
            && !worker.WaitsForSlot
            && (!worker.WantsFlush || _flushHolder == Nobody || _flushHolder == index);
    }
}
