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
