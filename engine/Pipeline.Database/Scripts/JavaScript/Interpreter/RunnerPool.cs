using System.Collections.Concurrent;

namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>Keeps what runs a script, an engine above all, for the next run; what has failed in a run is thrown away. Thread-safe.</summary>
internal sealed class RunnerPool<TRunner>(int mostKept, Func<TRunner> make)
    where TRunner : IDisposable
{
    private readonly ConcurrentBag<TRunner> _kept = [];

    /// <summary>Runs with one that no other thread has.</summary>
    public T Run<T>(Func<TRunner, T> run)
    {
        TRunner runner = _kept.TryTake(out TRunner? kept) ? kept : make();
        bool isWhole = false;
        try
        {
            T result = run(runner);
            isWhole = true;
            return result;
        }
        finally
        {
            if (isWhole && _kept.Count < mostKept) _kept.Add(runner);
            else runner.Dispose();
        }
    }
}
