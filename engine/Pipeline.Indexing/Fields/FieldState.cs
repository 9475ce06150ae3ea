namespace Pipeline.Indexing;

/// <summary>What an index knows of a field as of a commit.</summary>
internal readonly record struct FieldState
{
    /// <summary>A bit for each <see cref="ColumnKind"/> of which the field has had values.</summary>
    public byte Kinds { get; init; }

    /// <summary>A bit for each <see cref="ColumnKind"/> of which an entry has had several values.</summary>
    public byte Multiple { get; init; }

    /// <summary>The number of the next term.</summary>
    public int NextTermId { get; init; }

    /// <summary>Live entries that have texts.</summary>
    public long Entries { get; init; }

    /// <summary>Tokens of these texts.</summary>
    public long Tokens { get; init; }

    public bool Has(ColumnKind kind) => (Kinds & (1 << (int)kind)) != 0;
}
