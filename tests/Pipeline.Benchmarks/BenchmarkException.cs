namespace Pipeline.Benchmarks;

/// <summary>A check failed: what was read is not what was written, or the arguments make no sense.</summary>
public sealed class BenchmarkException(string message) : Exception(message);
