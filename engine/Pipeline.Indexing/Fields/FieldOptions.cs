using Pipeline.Indexing.Analysis;

namespace Pipeline.Indexing;

/// <summary>How a field's values are indexed.</summary>
public sealed record FieldOptions
{
    /// <summary>The whole value, lower-cased, as one term.</summary>
    public static FieldOptions Default { get; } = new();

    /// <summary>The indexed form of strings.</summary>
    public TermForm Indexing { get; init; } = TermForm.Default;

    /// <summary>
    /// The analyzer that makes the tokens of a <see cref="TermForm.Search"/> field; null is
    /// <see cref="Analyzers.Standard"/>.
    /// </summary>
    public Analyzer? Analyzer { get; init; }

    /// <summary>
    /// Whether the positions of tokens are kept, for phrases and proximity; only of <see cref="TermForm.Search"/>
    /// fields.
    /// </summary>
    public bool Positions { get; init; } = true;

    /// <summary>Whether both make the same of values. Analyzers of one name do.</summary>
    public bool Equals(FieldOptions? other) =>
        other is not null
        && Indexing == other.Indexing
        && Positions == other.Positions
        && Analyzer?.Name == other.Analyzer?.Name;

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Indexing, Positions, Analyzer?.Name);
}
