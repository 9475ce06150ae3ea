namespace Pipeline.Indexing;

/// <summary>The dictionary's record of a field's term.</summary>
public readonly record struct TermInfo
{
    /// <summary>
    /// Entries that have the term; deleted ones count until a purge has met the list. Exact if no entry is deleted.
    /// </summary>
    public required int DocumentFrequency { get; init; }

    /// <summary>Occurrences in all of these entries.</summary>
    public required long TotalFrequency { get; init; }

    /// <summary>The number of the term in <see cref="ColumnKind.Term"/> columns; −1 if it has none.</summary>
    public required int Id { get; init; }

    /// <summary>No entry has it more often; <see cref="int.MaxValue"/> from 65,535 on.</summary>
    public required int MaxFrequency { get; init; }

    /// <summary>In no entry that has the term has the field fewer tokens (counted to 65,535).</summary>
    public required int MinLength { get; init; }
}
