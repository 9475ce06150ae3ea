using System.Text;

namespace Pipeline.Indexing;

/// <content>Queries that expand to several terms.</content>
internal sealed partial class QueryPlanner
{
    private QueryStep In(InQuery query)
    {
        var detail = $"{query.Field}: {query.Terms.Count} values";
        if (execution.Field(query.Field) is not { } field)
            return new NoneStep(execution, detail);
        var terms = new TermSet(execution, "in");
        foreach (var term in query.Terms)
        {
            if (execution.FindTerm(field, term.Span, out var handle))
                terms.Add(handle);
        }

        return terms.Count == 0
            ? new NoneStep(execution, detail)
            : new TermSetStep(execution, "in", detail, terms, lazy);
    }

    private QueryStep AllIn(AllInQuery query)
    {
        if (query.Terms.Count == 0)
            return new AllStep(execution);
        var distinct = query.Terms.DistinctBy(t => Convert.ToBase64String(t.Span));
        var query2 = new BooleanQuery { Filter = [.. distinct.Select(t => new TermQuery(query.Field, t))] };
        return Plan(new ConstantScoreQuery(query2), scored: false);
    }

    private QueryStep Fuzzy(FuzzyQuery query, bool scored)
    {
        var matcher = new FuzzyMatcher(query.Term.Span, query.MaxEdits, query.PrefixLength);
        // As near as the share of characters that stay: 1 for the term itself.
        var characters = Math.Max(1, Encoding.UTF8.GetCharCount(query.Term.Span));
        return Expand(
            "fuzzy",
            query.Field,
            $"{Show(query.Term.Span)}~{query.MaxEdits}",
            matcher,
            scored && query.Scored,
            () => Math.Max(0, 1 - (float)matcher.Distance / characters)
        );
    }

    private QueryStep Expand(
        string operation,
        string fieldName,
        string pattern,
        TermMatcher matcher,
        bool scored,
        Func<float>? weight
    )
    {
        var detail = $"{fieldName}: {pattern}";
        if (execution.Field(fieldName) is not { } field)
            return new NoneStep(execution, detail);
        var terms = new TermSet(execution, operation);
        var scoredSteps = new List<QueryStep>();
        var cursor = execution.OpenTerms(field);
        var more = cursor.Seek(matcher.Prefix);
        while (more && cursor.Term.StartsWith(matcher.Prefix))
        {
            if (matcher.Matches(cursor.Term, out var passed))
            {
                if (scored)
                {
                    if (scoredSteps.Count == execution.Options.MaxScoredExpansions)
                    {
                        throw new QueryLimitException(
                            nameof(SearchOptions.MaxScoredExpansions),
                            execution.Options.MaxScoredExpansions,
                            scoredSteps.Count + 1L,
                            $"{operation} {detail}"
                        );
                    }

                    QueryStep step = new TermStep(
                        execution,
                        "term",
                        field,
                        cursor.Handle,
                        $"{fieldName}: {Show(cursor.Term)}",
                        scored: true
                    );
                    if (weight is not null)
                        step = new WeightedStep(execution, step, weight(), constant: false);
                    scoredSteps.Add(step);
                }
                else
                {
                    terms.Add(cursor.Handle);
                }
            }

            more = passed > 0 ? cursor.SeekBehind(cursor.Term[..passed]) : cursor.MoveNext();
        }

        if (terms.Count + scoredSteps.Count == 0)
            return new NoneStep(execution, detail);
        return scored
            ? new BooleanStep(execution, [], [], [.. scoredSteps], [], 1)
            : new TermSetStep(execution, operation, detail, terms, lazy);
    }

    private QueryStep TermRange(TermRangeQuery query)
    {
        var detail =
            $"{query.Field}: {Bound(query.Low, query.IncludeLow ? "[" : "(", "(")}..{Bound(query.High, query.IncludeHigh ? "]" : ")", ")")}";
        if (execution.Field(query.Field) is not { } field)
            return new NoneStep(execution, detail);
        var terms = new TermSet(execution, "term range");
        var cursor = execution.OpenTerms(field);
        var more = cursor.Seek(query.Low is { } low ? low.Span : default);
        for (; more; more = cursor.MoveNext())
        {
            if (query.Low is { } from && !query.IncludeLow && cursor.Term.SequenceEqual(from.Span))
                continue;
            if (
                query.High is { } to
                && cursor.Term.SequenceCompareTo(to.Span) is var order
                && (order > 0 || (order == 0 && !query.IncludeHigh))
            )
            {
                break;
            }

            terms.Add(cursor.Handle);
        }

        return terms.Count == 0
            ? new NoneStep(execution, detail)
            : new TermSetStep(execution, "term range", detail, terms, lazy);

        static string Bound(ReadOnlyMemory<byte>? bound, string bracket, string open) =>
            bound is { } b ? (bracket is "[" or "(" ? bracket + Show(b.Span) : Show(b.Span) + bracket) : open;
    }

    private QueryStep NumberRange(NumberRangeQuery query)
    {
        var detail =
            $"{query.Field}: {(query.IncludeLow ? '[' : '(')}{query.Low.ToDouble():R}..{query.High.ToDouble():R}{(query.IncludeHigh ? ']' : ')')}";
        if (execution.Field(query.Field) is not { } field || execution.Reader.OpenNumbers(field) is not { } numbers)
            return new NoneStep(execution, detail);
        var (low, high) = (query.Low, query.High);
        if (!query.IncludeLow)
        {
            if (low == NumericKey.Max)
                return new NoneStep(execution, detail);
            low =
                low.Low == ushort.MaxValue
                    ? new NumericKey(low.High + 1, 0)
                    : new NumericKey(low.High, (ushort)(low.Low + 1));
        }

        if (!query.IncludeHigh)
        {
            if (high == NumericKey.Min)
                return new NoneStep(execution, detail);
            high =
                high.Low == 0
                    ? new NumericKey(high.High - 1, ushort.MaxValue)
                    : new NumericKey(high.High, (ushort)(high.Low - 1));
        }

        return low > high
            ? new NoneStep(execution, detail)
            : new NumberRangeStep(execution, field, numbers, low, high, detail);
    }
}
