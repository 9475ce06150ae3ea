using System.Text;

namespace Pipeline.Indexing;

/// <summary>
/// Turns a query into steps over one snapshot: looks terms up, expands patterns, flattens nested conjunctions and
/// disjunctions, and drops what cannot match.
/// </summary>
internal sealed partial class QueryPlanner(QueryExecution execution, bool lazy)
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
