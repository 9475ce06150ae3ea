namespace Pipeline.TestKit;

/// <summary>A fuzzed process took more memory than it may.</summary>
public sealed class FuzzMemoryException(string message) : Exception(message);
