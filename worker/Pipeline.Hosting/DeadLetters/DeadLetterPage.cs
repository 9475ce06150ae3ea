using Pipeline.Etl.DeadLetters;

namespace Pipeline.Hosting.DeadLetters;

/// <summary>A list of dead letters.</summary>
/// <param name="Total">The number of all letters.</param>
/// <param name="Letters">The first ones.</param>
internal sealed record DeadLetterPage(int Total, IReadOnlyList<DeadLetterView> Letters);
