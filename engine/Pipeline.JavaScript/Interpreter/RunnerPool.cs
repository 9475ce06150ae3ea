using System.Collections.Concurrent;

namespace Pipeline.JavaScript;

/// <summary>
/// Keeps script runners, most of all their engines, for the next run; a runner that failed is disposed. Thread-safe.
/// </summary>
internal sealed class RunnerPool<TRunner>(int mostKept, Func<TRunner> make)
    where TRunner : IDisposable
{
    private readonly ConcurrentBag<TRunner> _kept = [];

    /// <summary>Runs with one that no other thread has.</summary>
    public T Run<T>(Func<TRunner, T> run)
    {
        var runner = _kept.TryTake(out var kept) ? kept : make();
        var isWhole = false;
        try
        {
            var result = run(runner);
            isWhole = true;
            return result;
        }
        finally
        {
            if (isWhole && _kept.Count < mostKept)
                _kept.Add(runner);
            else
                runner.Dispose();
        }
    }
}
