namespace Pipeline.Etl.DeadLetters;

/// <summary>Which dead letters are meant: those named, those of a task, those that a query finds, or all. What is given is combined by "and"; nothing given means none.</summary>
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
