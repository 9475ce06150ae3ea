namespace Pipeline.Etl.Runner;

/// <summary>Where a task's time went since the host's start, in seconds. The three go on side by side.</summary>
/// <param name="Extract">Reading changes.</param>
/// <param name="Transform">Running the transform.</param>
/// <param name="Send">Until the target had confirmed, waits after its errors included.</param>
public sealed record EtlTaskTimes(double Extract, double Transform, double Send);
