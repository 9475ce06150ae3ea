using System.Text;

namespace Pipeline.Indexing;

/// <summary>
/// Turns a query into steps over one snapshot: looks terms up, expands patterns, flattens nested conjunctions and
/// disjunctions, and drops what cannot match.
/// </summary>
internal sealed class QueryPlanner(QueryExecution execution, bool lazy)
{
    private const int MaxDepth = 256;

    private int _depth;

    /// <summary>Plans a query.</summary>
    /// <param name="query">The query.</param>
    /// <param name="scored">Whether scores of its entries are asked for.</param>
    /// <exception cref="QueryException">The query cannot be run.</exception>
    public QueryStep Plan(Query query, bool scored)
    {
        if (++_depth > MaxDepth)
        {
            throw new QueryException(
                $"The query is nested more than {MaxDepth} deep. Lists of values belong into one 'in'."
            );
        }

        try
        {
            return query switch
            {
                AllQuery => new AllStep(execution),
                NoneQuery => new NoneStep(execution, ""),
                TermQuery q => Term(q, scored),
                PhraseQuery q => Phrase(q, scored),
                BooleanQuery q => Boolean(q, scored),
                BoostQuery q => Weighted(q.Inner, q.Factor, constant: false, scored),
                ConstantScoreQuery q => Weighted(q.Inner, q.Score, constant: true, scored: false),
                EntryBoostQuery q => EntryBoost(q, scored),
                InQuery q => In(q),
                AllInQuery q => AllIn(q),
                PrefixQuery q => Expand(
                    "prefix",
                    q.Field,
                    Show(q.Prefix.Span) + "*",
                    new PrefixMatcher(q.Prefix),
                    scored && q.Scored,
                    null
                ),
                SuffixQuery q => Expand(
                    "suffix",
                    q.Field,
                    "*" + Show(q.Suffix.Span),
                    new SuffixMatcher(q.Suffix),
                    false,
                    null
                ),
                WildcardQuery q => Expand(
                    "wildcard",
                    q.Field,
                    q.Pattern,
                    new WildcardMatcher(q.Pattern),
                    scored && q.Scored,
                    null
                ),
                RegexQuery q => Expand("regex", q.Field, q.Pattern, new RegexMatcher(q.Pattern), false, null),
                FuzzyQuery q => Fuzzy(q, scored),
                TermRangeQuery q => TermRange(q),
                NumberRangeQuery q => NumberRange(q),
                ExistsQuery q => Reserved("exists", q.Field, IndexTerm.Exists),
                NullQuery q => Reserved("null", q.Field, IndexTerm.Null),
                SpatialQuery q => Spatial(q),
                _ => throw new QueryException($"A query of type {query.GetType().Name} is not known."),
            };
        }
        finally
        {
            _depth--;
        }
    }

    private static string Show(ReadOnlySpan<byte> term) =>
        Encoding.UTF8.GetString(term.Length > 64 ? term[..64] : term);

    private QueryStep Term(TermQuery query, bool scored)
    {
        var detail = $"{query.Field}: {Show(query.Term.Span)}";
        return execution.Field(query.Field) is { } field && execution.FindTerm(field, query.Term.Span, out var term)
            ? new TermStep(execution, "term", field, term, detail, scored: true)
            : new NoneStep(execution, detail);
    }

    private QueryStep Phrase(PhraseQuery query, bool scored)
    {
        if (query.Slop < 0)
            throw new QueryException($"A phrase's slop is 0 or more, not {query.Slop}.");
        var words = new string[query.Terms.Count];
        for (var i = 0; i < words.Length; i++)
            words[i] = Show(query.Terms[i].Term.Span);
        var detail = $"{query.Field}: \"{string.Join(' ', words)}\"{(query.Slop > 0 ? $"~{query.Slop}" : "")}";
        if (query.Terms.Count == 0 || execution.Field(query.Field) is not { } field)
            return new NoneStep(execution, detail);
        if (query.Terms.Count == 1)
            return Term(new TermQuery(query.Field, query.Terms[0].Term), scored);
        if (field.Options.Indexing != TermForm.Search || !field.Options.Positions)
        {
            throw new QueryException(
                $"The field '{query.Field}' keeps no positions, so phrases cannot be found in it. Index it for search, with positions."
            );
        }

        var handles = new List<TermHandle>();
        var bytes = new List<ReadOnlyMemory<byte>>();
        var places = new (int Cursor, int Offset)[query.Terms.Count];
        for (var i = 0; i < places.Length; i++)
        {
            var term = query.Terms[i];
            var known = bytes.FindIndex(b => b.Span.SequenceEqual(term.Term.Span));
            if (known < 0)
            {
                if (!execution.FindTerm(field, term.Term.Span, out var handle))
                    return new NoneStep(execution, detail);
                known = handles.Count;
                handles.Add(handle);
                bytes.Add(term.Term);
            }

            // They come in the order of their places, mostly.
            var at = i;
            for (; at > 0 && places[at - 1].Offset > term.Position; at--)
                places[at] = places[at - 1];
            places[at] = (known, term.Position);
        }

        return new PhraseStep(execution, field, [.. handles], places, query.Slop, detail);
    }

    private QueryStep Boolean(BooleanQuery query, bool scored)
    {
        var (must, filter, should, not) = (
            new List<QueryStep>(),
            new List<QueryStep>(),
            new List<QueryStep>(),
            new List<QueryStep>()
        );
        Require(query, must, filter, not, scored);
        var required = query.Must.Count + query.Filter.Count > 0;
        var least = query.MinimumShouldMatch ?? (required || query.Should.Count == 0 ? 0 : 1);
        if (least < 0)
            throw new QueryException($"MinimumShouldMatch is 0 or more, not {least}.");
        if (!required && query.Should.Count == 0 && query.MustNot.Count == 0)
            return new NoneStep(execution, "empty");
        foreach (var part in query.Should)
            Offer(part, should, scored, flatten: least <= 1);
        should.RemoveAll(s => s is NoneStep);
        if (should.Count < least)
            return new NoneStep(execution, $"fewer than {least} of the optional parts can match");
        if ((NoneOf(must) ?? NoneOf(filter)) is { } none)
            return new NoneStep(execution, none.Detail);
        not.RemoveAll(s => s is NoneStep);
        if (!scored && least == 0 && required)
            should.Clear();
        if (
            not.Count == 0
            && must.Count + filter.Count + should.Count == 1
            && filter.Count == 0
            && least == should.Count
        )
        {
            return (must.Count > 0 ? must : should)[0];
        }

        return new BooleanStep(execution, [.. must], [.. filter], [.. should], [.. not], least);
    }

    private static NoneStep? NoneOf(List<QueryStep> steps)
    {
        foreach (var step in steps)
        {
            if (step is NoneStep none)
                return none;
        }

        return null;
    }

    // What is required within something required is required itself.
    private void Require(
        BooleanQuery query,
        List<QueryStep> must,
        List<QueryStep> filter,
        List<QueryStep> not,
        bool scored
    )
    {
        foreach (var part in query.Must)
        {
            if (part is BooleanQuery { Should.Count: 0 } inner && inner.Must.Count + inner.Filter.Count > 0)
                Require(inner, must, filter, not, scored);
            else
                must.Add(Plan(part, scored));
        }

        foreach (var part in query.Filter)
        {
            if (part is BooleanQuery { Should.Count: 0 } inner && inner.Must.Count + inner.Filter.Count > 0)
                Require(inner, filter, filter, not, scored: false);
            else
                filter.Add(Plan(part, scored: false));
        }

        foreach (var part in query.MustNot)
            not.Add(Plan(part, scored: false));
    }

    private void Offer(Query part, List<QueryStep> should, bool scored, bool flatten)
    {
        if (
            flatten
            && part
                is BooleanQuery
                {
                    Must.Count: 0,
                    Filter.Count: 0,
                    MustNot.Count: 0,
                    Should.Count: > 0,
                    MinimumShouldMatch: null or 1
                } inner
        )
        {
            foreach (var each in inner.Should)
                Offer(each, should, scored, flatten: true);
            return;
        }

        should.Add(Plan(part, scored));
    }

    private QueryStep Weighted(Query inner, float factor, bool constant, bool scored)
    {
        if (!(float.IsFinite(factor) && factor >= 0))
            throw new QueryException($"A boost or score is a finite number of 0 or more, not {factor}.");
        var step = Plan(inner, scored);
        return step is NoneStep ? step : new WeightedStep(execution, step, factor, constant);
    }

    private QueryStep EntryBoost(EntryBoostQuery query, bool scored)
    {
        var step = Plan(query.Inner, scored);
        return !scored || step is NoneStep || execution.Field(query.Field) is not { } field
            ? step
            : new EntryBoostStep(execution, step, field);
    }

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

    private QueryStep Reserved(string operation, string fieldName, ReadOnlySpan<byte> term) =>
        execution.Field(fieldName) is { } field && execution.FindTerm(field, term, out var handle)
            ? new TermStep(execution, operation, field, handle, fieldName, scored: false)
            : new NoneStep(execution, fieldName);

    private QueryStep Spatial(SpatialQuery query)
    {
        var detail = $"{query.Field}: {query.Relation} {query.Shape.GetType().Name}";
        if (execution.Field(query.Field) is not { } field || execution.Reader.OpenPoints(field) is not { } points)
            return new NoneStep(execution, detail);
        var within = new SpatialStep(execution, points, query.Shape, detail);
        if (query.Relation != SpatialRelation.Disjoint)
            return within;
        var any = new SpatialStep(execution, points, GeoRectangle.World, $"{query.Field}: anywhere");
        return new WeightedStep(execution, new BooleanStep(execution, [], [any], [], [within], 0), 1, constant: true);
    }
}
