namespace Pipeline.Cluster.Tests.Node;

/// <summary>A run of the simulation broke a promise.</summary>
internal sealed class SimulationFailure(string message) : Exception(message);
