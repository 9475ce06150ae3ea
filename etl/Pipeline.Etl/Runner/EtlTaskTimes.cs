namespace Pipeline.Etl.Runner;

/// <summary>
/// How a task has spent its time since the host's start, in seconds. The three activities run in parallel.
/// </summary>
/// <param name="Extract">Reading changes.</param>
/// <param name="Transform">Running the transform.</param>
/// <param name="Send">Until the target had confirmed, waits after its errors included.</param>
public sealed record EtlTaskTimes(double Extract, double Transform, double Send);
