namespace Pipeline.Indexing;

/// <summary>An index's record of a field as of a commit.</summary>
internal readonly record struct FieldState
{
    /// <summary>A bit for each <see cref="ColumnKind"/> in which the field has had values.</summary>
    public byte Kinds { get; init; }

    /// <summary>A bit for each <see cref="ColumnKind"/> in which some entry has had several values.</summary>
    public byte Multiple { get; init; }

    /// <summary>The number of the next term.</summary>
    public int NextTermId { get; init; }

    /// <summary>Live entries that have texts.</summary>
    public long Entries { get; init; }

    /// <summary>Tokens of these texts.</summary>
    public long Tokens { get; init; }

    public bool Has(ColumnKind kind) => (Kinds & (1 << (int)kind)) != 0;
}
