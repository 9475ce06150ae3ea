namespace Pipeline.Indexing.Suggestions;

/// <summary>Suggests terms of a field for a word that may be misspelt. Thread-safe; a reader is one thread's.</summary>
public static class Suggester
{
    /// <summary>After so many terms a cancellation is noticed.</summary>
    private const int TermsPerCheck = 1024;

    /// <summary>
    /// The terms of a field that are most similar to a word, without the word itself. Every term of the field is compared, so that none is missed; those whose
    /// length alone says no cost next to nothing.
    /// </summary>
    /// <param name="reader">The index.</param>
    /// <param name="field">The field's name; one that the index does not have has no terms.</param>
    /// <param name="word">The word in UTF-8, written as the field's terms are (<see cref="Analysis.Analyzer.Normalize"/>).</param>
    /// <param name="options">Accuracy, number, order, measure.</param>
    /// <param name="ct">Ends the search.</param>
    public static IReadOnlyList<Suggestion> Suggest(IndexReader reader, string field, ReadOnlySpan<byte> word, SuggestionOptions options, CancellationToken ct)
    {
        var collector = new SuggestionCollector(word, options);
        if (!reader.TryGetField(field, out var known)) return [];
        var terms = reader.OpenTerms(known);
        var seen = 0;
        for (var found = terms.Seek(default); found; found = terms.MoveNext())
        {
            if (++seen % TermsPerCheck == 0) ct.ThrowIfCancellationRequested();
            collector.Offer(terms);
        }

        return collector.ToList();
    }
}
