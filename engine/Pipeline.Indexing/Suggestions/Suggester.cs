namespace Pipeline.Indexing.Suggestions;

/// <summary>Suggests terms of a field for a word that may be misspelt. Thread-safe; a reader is one thread's.</summary>
public static class Suggester
{
    /// <summary>
    /// The terms of a field that are most similar to a word, without the word itself. Terms within two edits are found
    /// through their possible beginnings. If these do not fill the page, the others are compared one by one, at most
    /// <see cref="SuggestionOptions.MaxTerms"/>, those with the same first character first. A field with no more terms
    /// misses none.
    /// </summary>
    /// <param name="reader">The index.</param>
    /// <param name="field">The field's name; one that the index does not have has no terms.</param>
    /// <param name="word">
    /// The word in UTF-8, written as the field's terms are (<see cref="Analysis.Analyzer.Normalize"/>).
    /// </param>
    /// <param name="options">Accuracy, number, order, measure.</param>
    /// <param name="ct">Ends the search.</param>
    public static IReadOnlyList<Suggestion> Suggest(
        IndexReader reader,
        string field,
        ReadOnlySpan<byte> word,
        SuggestionOptions options,
        CancellationToken ct
    )
    {
        var collector = new SuggestionCollector(word, options);
        if (!reader.TryGetField(field, out var known))
            return [];
        new SuggestionSearch(reader.OpenTerms(known), collector, options, ct).Run();
        return collector.ToList();
    }
}
