using System.Globalization;
using System.Text;
using Pipeline.Indexing;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Facets;

/// <summary>Counts the facets of a query, all values in one pass over the hits.</summary>
internal sealed class FacetSearch(Searcher searcher, IndexReader reader, Query tree, SearchOptions options)
{
    // A count with its text, and its places in the lists of the page and of the rest.
    private const int CountBytes = 144;

    /// <summary>The memory of the text is counted after this many values.</summary>
    private const int ValuesPerCheck = 1024;

    /// <summary>The results: an object for each facet, in RavenDB's form.</summary>
    internal IReadOnlyList<QueryItem> Run(IReadOnlyList<FacetDefinition> facets, CancellationToken cancellationToken)
    {
        var requests = new List<FacetRequest>();
        foreach (var facet in facets)
        {
            if (facet.Field is not null && RequestOf(facet) is { } request)
                requests.Add(request);
        }

        var counted = requests.Count == 0 ? [] : searcher.CountFacets(tree, requests, options, cancellationToken);
        var results = counted.Sum(r => r.Bytes);
        Hold(results);
        var items = new List<QueryItem>();
        var next = 0;
        foreach (var facet in facets)
        {
            List<FacetCount> values;
            if (facet.Field is not null && RequestOf(facet) is not null)
            {
                values = Merge(facet, counted[next++], cancellationToken);
            }
            else
            {
                Hold(CountBytes * (long)facet.Ranges.Count);
                values =
                [
                    .. facet.Ranges.Select(r => new FacetCount(
                        r.Text,
                        facet.Field is null ? 0 : Count(r.Query, cancellationToken),
                        []
                    )),
                ];
            }

            items.Add(Item(facet, values, cancellationToken));
            Hold(-CountBytes * (long)values.Count);
        }

        Hold(-results);
        return items;
    }

    private void Hold(long bytes) => options.OnHeld?.Invoke(bytes);

    /// <summary>The request to count in one pass; null for ranges of texts, which are counted one by one.</summary>
    private static FacetRequest? RequestOf(FacetDefinition facet)
    {
        string[] aggregates = [.. facet.Aggregates.Select(a => a.Field)];
        if (facet.Ranges.Count == 0)
            return new ValueFacet(facet.Field!.Name) { Aggregates = aggregates };
        List<FacetRange> ranges = [.. facet.Ranges.Select(r => RangeOf(r.Text, r.Query)).OfType<FacetRange>()];
        return ranges.Count == facet.Ranges.Count
            ? new RangeFacet(facet.Field!.Name, ranges) { Aggregates = aggregates }
            : null;
    }

    /// <summary>A range of numbers; both ends may come from two comparisons.</summary>
    internal static FacetRange? RangeOf(string text, Query query) =>
        query switch
        {
            NumberRangeQuery range => new FacetRange(text, range.Low, range.High, range.IncludeLow, range.IncludeHigh),
            BooleanQuery { Must: [NumberRangeQuery a, NumberRangeQuery b], MustNot: [] } => Intersect(text, a, b),
            _ => null,
        };

    private static FacetRange Intersect(string text, NumberRangeQuery a, NumberRangeQuery b)
    {
        (var low, var includeLow) =
            a.Low > b.Low ? (a.Low, a.IncludeLow)
            : b.Low > a.Low ? (b.Low, b.IncludeLow)
            : (a.Low, a.IncludeLow && b.IncludeLow);
        (var high, var includeHigh) =
            a.High < b.High ? (a.High, a.IncludeHigh)
            : b.High < a.High ? (b.High, b.IncludeHigh)
            : (a.High, a.IncludeHigh && b.IncludeHigh);
        return new FacetRange(text, low, high, includeLow, includeHigh);
    }

    private List<FacetCount> Merge(FacetDefinition facet, FacetCounts result, CancellationToken cancellationToken)
    {
        Hold(CountBytes * (long)result.Values.Count);
        List<FacetCount> values =
        [
            .. result.Values.Select(v => new FacetCount(Encoding.UTF8.GetString(v.Name.Span), v.Count, v.Aggregates)),
        ];
        if (facet.Ranges.Count > 0)
            return values;
        foreach (var number in new NumberFacet(searcher, reader, tree, options).Count(facet, cancellationToken))
        {
            Hold(CountBytes);
            values.Add(number);
        }

        values.Sort((a, b) => Order(facet.Options.Sort, a, b));
        return values;
    }

    private long Count(Query range, CancellationToken cancellationToken) =>
        searcher.Count(new BooleanQuery { Filter = [tree, range] }, options, cancellationToken);

    private static int Order(FacetSort sort, FacetCount a, FacetCount b)
    {
        var byValue = CompareValues(a.Range, b.Range);
        return sort switch
        {
            FacetSort.ValueAsc => byValue,
            FacetSort.ValueDesc => -byValue,
            FacetSort.CountAsc => a.Count != b.Count ? a.Count.CompareTo(b.Count) : byValue,
            _ => a.Count != b.Count ? b.Count.CompareTo(a.Count) : byValue,
        };
    }

    /// <summary>Numbers by size and before texts.</summary>
    private static int CompareValues(string a, string b)
    {
        bool isNumber = double.TryParse(a, CultureInfo.InvariantCulture, out var x),
            otherIs = double.TryParse(b, CultureInfo.InvariantCulture, out var y);
        return isNumber && otherIs ? x.CompareTo(y)
            : isNumber != otherIs ? (isNumber ? -1 : 1)
            : string.CompareOrdinal(a, b);
    }

    private QueryItem Item(FacetDefinition facet, List<FacetCount> values, CancellationToken cancellationToken)
    {
        var page = facet.Ranges.Count > 0 ? values : [.. values.Skip(facet.Options.Start).Take(facet.Options.PageSize)];
        List<FacetCount> remaining =
            facet.Ranges.Count > 0 ? [] : [.. values.Skip(facet.Options.Start).Skip(facet.Options.PageSize)];
        var writer = new JsonBodyWriter();
        writer.Raw("{\"Name\":"u8);
        writer.String(facet.Name);
        writer.Raw(",\"Values\":["u8);
        var first = true;
        long held = 0;
        for (var i = 0; i < page.Count; i++)
        {
            var value = page[i];
            if (i % ValuesPerCheck == 0)
                HoldText();
            foreach (var aggregate in Enumerable.Range(0, facet.Aggregates.Count).Select(a => (int?)a).DefaultIfEmpty())
            {
                if (!first)
                    writer.Raw(","u8);
                first = false;
                Value(writer, facet, value, aggregate);
            }
        }

        writer.Raw("],\"RemainingTerms\":["u8);
        for (var i = 0; i < remaining.Count && facet.Options.IncludeRemainingTerms; i++)
        {
            if (i > 0)
                writer.Raw(","u8);
            if (i % ValuesPerCheck == 0)
                HoldText();
            writer.String(remaining[i].Range);
        }

        writer.Raw("],\"RemainingTermsCount\":"u8);
        writer.Integer(remaining.Count);
        writer.Raw(",\"RemainingHits\":"u8);
        writer.Integer(remaining.Sum(r => r.Count));
        writer.Raw("}"u8);
        HoldText();
        var item = new QueryItem(null, writer.Written.ToArray()) { IsFacet = true };
        Hold(item.Bytes - held);
        return item;

        // The text and, while it grows or is copied, its next copy.
        void HoldText()
        {
            cancellationToken.ThrowIfCancellationRequested();
            var bytes = 2L * writer.Written.Length;
            Hold(bytes - held);
            held = bytes;
        }
    }

    private static void Value(JsonBodyWriter writer, FacetDefinition facet, FacetCount value, int? aggregate)
    {
        writer.Raw("{\"Range\":"u8);
        writer.String(value.Range);
        writer.Raw(",\"Count\":"u8);
        writer.Integer(value.Count);
        if (aggregate is { } index)
        {
            writer.Raw(",\"Name\":"u8);
            writer.String(facet.Aggregates[index].Name);
            if (index < value.Aggregates.Count && value.Aggregates[index] is { Count: > 0 } numbers)
            {
                foreach (
                    (var name, var number) in new[]
                    {
                        ("Sum", numbers.Sum),
                        ("Min", numbers.Min),
                        ("Max", numbers.Max),
                        ("Average", numbers.Average),
                    }
                )
                {
                    if (!facet.Aggregates[index].Functions.Contains(name))
                        continue;
                    writer.Raw(Encoding.UTF8.GetBytes($",\"{name}\":"));
                    writer.Value(Evaluation.ValueOperations.Finite(new DoubleValue(number)));
                }
            }
        }

        writer.Raw("}"u8);
    }
}
