namespace Pipeline.Indexing.Highlighting;

/// <summary>Collects the terms, patterns and phrases of a query in a field, for highlighting.</summary>
internal sealed class QueryTerms(string field)
{
    /// <summary>The findings.</summary>
    public HighlightTerms Terms { get; } = new();

    /// <summary>Adds the terms, kinds of terms and phrases of a query.</summary>
    public void Visit(Query query)
    {
        switch (query)
        {
            case BooleanQuery boolean:
                foreach (var inner in boolean.Must.Concat(boolean.Filter).Concat(boolean.Should))
                    Visit(inner);
                break;
            case BoostQuery boost:
                Visit(boost.Inner);
                break;
            case EntryBoostQuery boost:
                Visit(boost.Inner);
                break;
            case ConstantScoreQuery constant:
                Visit(constant.Inner);
                break;
            case TermQuery term when term.Field == field:
                Terms.AddTerm(term.Term.Span);
                break;
            case InQuery any when any.Field == field:
                foreach (var term in any.Terms)
                    Terms.AddTerm(term.Span);
                break;
            case AllInQuery all when all.Field == field:
                foreach (var term in all.Terms)
                    Terms.AddTerm(term.Span);
                break;
            case PhraseQuery phrase when phrase.Field == field:
                Terms.AddPhrase([.. phrase.Terms.Select(t => (t.Term, t.Position))], phrase.Slop);
                break;
            case PrefixQuery prefix when prefix.Field == field:
                Terms.AddPrefix(prefix.Prefix.Span);
                break;
            case SuffixQuery suffix when suffix.Field == field:
                Terms.AddKind(term => term.EndsWith(suffix.Suffix.Span));
                break;
            case WildcardQuery wildcard when wildcard.Field == field:
                AddMatcher(new WildcardMatcher(wildcard.Pattern));
                break;
            case RegexQuery regex when regex.Field == field:
                AddMatcher(new RegexMatcher(regex.Pattern));
                break;
            case FuzzyQuery fuzzy when fuzzy.Field == field:
                AddMatcher(new FuzzyMatcher(fuzzy.Term.Span, fuzzy.MaxEdits, fuzzy.PrefixLength));
                break;
            case TermRangeQuery range when range.Field == field:
                Terms.AddKind(term => IsWithin(range, term));
                break;
        }
    }

    /// <summary>A matcher relies on its reader for the beginning that all terms share.</summary>
    private void AddMatcher(TermMatcher matcher) =>
        Terms.AddKind(term => term.StartsWith(matcher.Prefix) && matcher.Matches(term, out _));

    private static bool IsWithin(TermRangeQuery range, ReadOnlySpan<byte> term)
    {
        var low = range.Low is { } from ? term.SequenceCompareTo(from.Span) : 1;
        var high = range.High is { } to ? term.SequenceCompareTo(to.Span) : -1;
        return (low > 0 || (low == 0 && range.IncludeLow)) && (high < 0 || (high == 0 && range.IncludeHigh));
    }
}
