namespace Pipeline.Etl.Tests.Subscriptions.Simulation;

/// <summary>A promise was broken.</summary>
internal sealed class SimulationException(string message) : Exception(message);
