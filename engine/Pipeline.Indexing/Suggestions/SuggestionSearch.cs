using System.Text;

namespace Pipeline.Indexing.Suggestions;

/// <summary>Chooses the terms of a dictionary that are compared with a word. For one thread, once.</summary>
internal sealed class SuggestionSearch(
    TermCursor terms,
    SuggestionCollector collector,
    SuggestionOptions options,
    CancellationToken ct
)
{
    /// <summary>
    /// The largest distance for which prefixes of terms rule out whole ranges; with a larger one they rule out next to
    /// nothing.
    /// </summary>
    private const int NearEdits = 2;

    /// <summary>A cancellation is noticed after this many terms.</summary>
    private const int TermsPerCheck = 1024;

    /// <summary>The terms that were read.</summary>
    public long Seen { get; private set; }

    /// <summary>Shows the collector all terms that may be kept.</summary>
    public void Run()
    {
        for (var edits = 1; edits <= NearEdits; edits++)
        {
            FindNear(edits);
            if (options.Distance == SuggestionDistance.Levenshtein && collector.IsFullWithin(edits))
                return;
        }

        var left = options.MaxTerms;
        var first = Beginning(collector.Word);
        for (
            var found = terms.Seek(first);
            found && terms.Term.StartsWith(first) && left > 0;
            found = terms.MoveNext(), left--
        )
        {
            Offer();
        }

        for (var found = terms.Seek(default); found && left > 0; )
        {
            if (!first.IsEmpty && terms.Term.StartsWith(first))
            {
                found = terms.SeekBehind(first);
                continue;
            }

            Offer();
            left--;
            found = terms.MoveNext();
        }
    }

    // An edit of the matcher may also swap two characters, so that it finds all that are within as many edits without
    // that.
    private void FindNear(int edits)
    {
        var matcher = new FuzzyMatcher(collector.Word, edits, prefixLength: 0);
        for (var found = terms.Seek(default); found; )
        {
            var isNear = matcher.Matches(terms.Term, out var passed);
            if (isNear)
                Offer();
            else
                Count();
            found = passed > 0 ? terms.SeekBehind(terms.Term[..passed]) : terms.MoveNext();
        }
    }

    private static ReadOnlySpan<byte> Beginning(ReadOnlySpan<byte> word)
    {
        if (word.IsEmpty)
            return default;
        Rune.DecodeFromUtf8(word, out _, out var length);
        return word[..length];
    }

    private void Offer()
    {
        Count();
        collector.Offer(terms);
    }

    private void Count()
    {
        if (++Seen % TermsPerCheck == 0)
            ct.ThrowIfCancellationRequested();
    }
}
