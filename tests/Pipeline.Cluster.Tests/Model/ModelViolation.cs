namespace Pipeline.Cluster.Tests.Model;

/// <summary>An invariant does not hold.</summary>
internal sealed class ModelViolation(string message) : Exception(message);
