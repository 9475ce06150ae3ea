namespace Pipeline.Etl.DeadLetters;

/// <summary>The outcome for letters that were marked for a retry.</summary>
/// <param name="Marked">How many were marked.</param>
/// <param name="Gone">How many are gone: they were sent, or a newer version of the document was.</param>
/// <param name="Pending">
/// How many wait. Their task does not run here, its target is unavailable, or an earlier letter of the same key is not
/// resolved.
/// </param>
/// <param name="Again">The letters that have failed again.</param>
public sealed record RetryOutcome(int Marked, int Gone, int Pending, IReadOnlyList<DeadLetterView> Again);
