namespace Pipeline.Etl.DeadLetters;

/// <summary>Selects dead letters: named ones, those of a task, those that a query finds, or all. Criteria are combined
/// with "and"; without any, none are selected.</summary>
public sealed record DeadLetterSelection
{
    /// <summary>Ids, with or without <c>deadletters/</c> before them.</summary>
    public IReadOnlyList<string> Ids { get; init; } = [];

    /// <summary>Those of one task.</summary>
    public string? Task { get; init; }

    /// <summary>Those that a query over <c>DeadLetters</c> finds: from DeadLetters where Class = 'script'.</summary>
    public string? Query { get; init; }

    /// <summary>All of them.</summary>
    public bool All { get; init; }
}

/// <summary>The outcome for letters that were marked for a retry.</summary>
/// <param name="Marked">How many were marked.</param>
/// <param name="Gone">How many are gone: they were sent, or a newer version of the document was.</param>
/// <param name="Pending">
/// How many wait. Their task does not run here, its target is unavailable, or an earlier letter of the same key is not
/// resolved.
/// </param>
/// <param name="Again">The letters that have failed again.</param>
public sealed record RetryOutcome(int Marked, int Gone, int Pending, IReadOnlyList<DeadLetterView> Again);

/// <summary>A dead letter does not exist, or does not allow the requested operation.</summary>
public sealed class DeadLetterException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">Which letter, and why.</param>
    /// <param name="innerException">The cause.</param>
    public DeadLetterException(string message, Exception? innerException = null)
        : base(message, innerException) { }
}
