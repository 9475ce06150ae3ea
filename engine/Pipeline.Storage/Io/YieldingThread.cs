namespace Pipeline.Storage;

/// <summary>Threads for background work that yields the processors to threads on which callers wait.</summary>
public static class YieldingThread
{
    /// <summary>The niceness: next to a normal thread, this one gets about a tenth of the processor time.</summary>
    private const int Niceness = 10;

    /// <summary>Starts one; it ends with the process.</summary>
    /// <param name="work">What it does.</param>
    /// <param name="name">Its name, for debuggers.</param>
    public static Thread Start(Action work, string name)
    {
        ArgumentNullException.ThrowIfNull(work);
        var thread = new Thread(() =>
        {
            // The runtime's own priorities do nothing on Linux. Where this is refused the work is done all the same.
            if (OperatingSystem.IsLinux())
                _ = NativeMethods.SetPriority(0, 0, Niceness);
            work();
        })
        {
            IsBackground = true,
            Name = name,
            Priority = ThreadPriority.BelowNormal,
        };
        thread.Start();
        return thread;
    }
}
