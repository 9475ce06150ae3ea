namespace Pipeline.Benchmarks;

/// <summary>A check failed: the data read differs from the data written, or the arguments are invalid.</summary>
public sealed class BenchmarkException(string message) : Exception(message);
