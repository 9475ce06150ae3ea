using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>
/// What a thread sleeps on until its operation is durable: a futex where the system has one, else a monitor. A futex
/// does not spin: where writers outnumber processors, the time that they spin is taken from the thread that commits.
/// </summary>
internal sealed unsafe class ThreadSignal
{
    [ThreadStatic]
    private static ThreadSignal? _current;

    // Safety: the word lives as long as this object, which both the thread that waits and the operation that signals
    // hold.
    private readonly int* _word = (int*)NativeMemory.AllocZeroed(sizeof(int));
    private readonly object _monitor = new();

    ~ThreadSignal() => NativeMemory.Free(_word);

    /// <summary>The signal of the calling thread, which waits for one operation at a time.</summary>
    public static ThreadSignal Current => _current ??= new ThreadSignal();

    /// <summary>Blocks until <see cref="Set"/> was called once since the last wait.</summary>
    public void Wait()
    {
        if (NativeMethods.FutexCall == 0)
        {
            lock (_monitor)
            {
                while (*_word == 0)
                    Monitor.Wait(_monitor);
                *_word = 0;
            }
        }
        else
        {
            while (Interlocked.Exchange(ref *_word, 0) == 0)
                NativeMethods.FutexWait(_word, 0);
        }
        GC.KeepAlive(this);
    }

    /// <summary>Wakes the thread.</summary>
    public void Set()
    {
        if (NativeMethods.FutexCall == 0)
        {
            lock (_monitor)
            {
                *_word = 1;
                Monitor.Pulse(_monitor);
            }
        }
        else
        {
            Volatile.Write(ref *_word, 1);
            NativeMethods.FutexWake(_word);
        }
        GC.KeepAlive(this);
    }
}
