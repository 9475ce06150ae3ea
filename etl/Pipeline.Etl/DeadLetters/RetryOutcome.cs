namespace Pipeline.Etl.DeadLetters;

/// <summary>What became of letters that were marked for another try.</summary>
/// <param name="Marked">How many were marked.</param>
/// <param name="Gone">How many are gone: sent, or needless since a newer version of the document was sent.</param>
/// <param name="Pending">How many wait for their task: it does not run here, its target is away, or an earlier letter of the same key is in the way.</param>
/// <param name="Again">Those that have failed again.</param>
public sealed record RetryOutcome(int Marked, int Gone, int Pending, IReadOnlyList<DeadLetterView> Again);
