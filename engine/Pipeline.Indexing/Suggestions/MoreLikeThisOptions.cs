namespace Pipeline.Indexing.Suggestions;

/// <summary>Which terms of a text make the query for texts like it. The defaults are RavenDB's.</summary>
public sealed record MoreLikeThisOptions
{
    /// <summary>A term counts only if the text has it as often as this.</summary>
    public int MinimumTermFrequency { get; init; } = 2;

    /// <summary>The most terms of the query.</summary>
    public int MaximumQueryTerms { get; init; } = 25;

    /// <summary>The most tokens read of a field's texts.</summary>
    public int MaximumNumberOfTokensParsed { get; init; } = 5000;

    /// <summary>The least characters of a term; 0 for any number.</summary>
    public int MinimumWordLength { get; init; }

    /// <summary>The most characters of a term; 0 for any number.</summary>
    public int MaximumWordLength { get; init; }

    /// <summary>A term counts only if at least this many entries have it.</summary>
    public int MinimumDocumentFrequency { get; init; } = 5;

    /// <summary>A term counts only if no more entries have it.</summary>
    public int MaximumDocumentFrequency { get; init; } = int.MaxValue;

    /// <summary>
    /// The same as a share of all entries, in percent; null for none. It takes the place of
    /// <see cref="MaximumDocumentFrequency"/>.
    /// </summary>
    public int? MaximumDocumentFrequencyPercentage { get; init; }

    /// <summary>Whether the terms of the query are weighted by their significance.</summary>
    public bool Boost { get; init; }

    /// <summary>The factor of all weights.</summary>
    public float BoostFactor { get; init; } = 1;

    /// <summary>The fields to read; null for all.</summary>
    public IReadOnlyList<string>? Fields { get; init; }

    /// <summary>
    /// Terms that never count (RavenDB keeps them in the document named by StopWordsDocumentId); null for none.
    /// </summary>
    public Analysis.StopWords? StopWords { get; init; }
}

/// <summary>A term of a query for texts like another.</summary>
/// <param name="Field">The field that it is looked for in.</param>
/// <param name="Term">The term, in UTF-8.</param>
/// <param name="Weight">What it counts in the query.</param>
public readonly record struct MoreLikeThisTerm(string Field, ReadOnlyMemory<byte> Term, float Weight);
