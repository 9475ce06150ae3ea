using System.Diagnostics;

namespace Pipeline.Benchmarks;

/// <summary>Wall-clock and the process's processor time (user and system) since it was made.</summary>
public sealed class Clock
{
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly TimeSpan _cpu = Environment.CpuUsage.TotalTime;

    public double Seconds => Stopwatch.GetElapsedTime(_start).TotalSeconds;

    public double CpuSeconds => (Environment.CpuUsage.TotalTime - _cpu).TotalSeconds;
}
