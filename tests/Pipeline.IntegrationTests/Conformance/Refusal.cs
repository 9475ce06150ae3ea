using Pipeline.Etl.Connectors;

namespace Pipeline.IntegrationTests.Conformance;

/// <summary>How to make a target refuse a message.</summary>
/// <param name="Options">The connection's options, as YAML in one line.</param>
/// <param name="Make">The refused message of this position.</param>
/// <param name="Reason">What the target says, a part of it.</param>
internal sealed record Refusal(string Options, Func<long, OutgoingMessage> Make, string Reason);
