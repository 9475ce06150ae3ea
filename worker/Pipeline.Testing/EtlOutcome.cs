using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;

namespace Pipeline.Testing;

/// <summary>The results of an ETL task so far.</summary>
/// <param name="Messages">The messages, in the order in which they were sent.</param>
/// <param name="DeadLetters">The task's dead letters, oldest change first.</param>
/// <param name="Skipped">How many changes and messages it skipped (<c>onError: skip</c>).</param>
public sealed record EtlOutcome(
    IReadOnlyList<OutgoingMessage> Messages,
    IReadOnlyList<DeadLetterView> DeadLetters,
    long Skipped
);
