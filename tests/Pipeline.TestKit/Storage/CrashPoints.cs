namespace Pipeline.TestKit.Storage;

/// <summary>Crashes a disk at random moments of its log.</summary>
public static class CrashPoints
{
    /// <summary>Checks what a disk holds after a crash, for a number of moments in their order.</summary>
    /// <param name="disk">The disk, with its log.</param>
    /// <param name="random">Chooses the moments and what each crash loses.</param>
    /// <param name="count">How many moments.</param>
    /// <param name="check">Is given the crashed disk, and the number of the last event before the crash.</param>
    public static async Task CheckAsync(
        SimulatedDisk disk,
        Random random,
        int count,
        Func<SimulatedDisk, int, Task> check
    )
    {
        ArgumentNullException.ThrowIfNull(disk);
        ArgumentNullException.ThrowIfNull(random);
        ArgumentNullException.ThrowIfNull(check);
        using var replay = new CrashReplay();
        var at = 0;
        foreach (var point in Enumerable.Range(0, count).Select(_ => random.Next(disk.Log.Count)).Order().ToArray())
        {
            for (; at <= point; at++)
                replay.Apply(disk.Log[at]);
            using var crashed = replay.Crash(random, (CrashMode)random.Next(3));
            await check(crashed, point).ConfigureAwait(false);
        }
    }
}
