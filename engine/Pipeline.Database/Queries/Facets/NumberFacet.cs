using System.Globalization;
using Pipeline.Indexing;

namespace Pipeline.Database.Queries.Facets;

/// <summary>Counts each number of a field, which has no term, by its column.</summary>
internal sealed class NumberFacet(Searcher searcher, IndexReader reader, Query tree, SearchOptions options)
{
    /// <summary>Different numbers that are counted, at most.</summary>
    internal const int MaxNumbers = 1_000_000;

    // A number with its count in the dictionary; one aggregate with its share of the array.
    private const int NumberBytes = 96,
        AggregateBytes = 64;

    internal IEnumerable<FacetCount> Count(FacetDefinition facet, CancellationToken cancellationToken)
    {
        if (!reader.TryGetField(facet.Field!.Name, out var field))
            yield break;
        ColumnReader? longs = reader.OpenColumn(field, ColumnKind.Long),
            doubles = reader.OpenColumn(field, ColumnKind.Double);
        if (longs is null && doubles is null)
            yield break;
        (ColumnReader?, ColumnReader?)[] aggregated =
        [
            .. facet.Aggregates.Select(a =>
                reader.TryGetField(a.Field, out var f)
                    ? (reader.OpenColumn(f, ColumnKind.Long), reader.OpenColumn(f, ColumnKind.Double))
                    : default
            ),
        ];
        var counts = new Dictionary<double, (long Count, FacetAggregate[] Aggregates)>();
        var numbers = new List<double>();
        var bytes = NumberBytes + ((long)AggregateBytes * facet.Aggregates.Count);
        using var hits = searcher.Stream(tree, [], options, cancellationToken);
        while (hits.MoveNext())
        {
            numbers.Clear();
            Read(longs, doubles, hits.Current.Entry, numbers);
            foreach (var number in numbers.Distinct())
            {
                if (!counts.TryGetValue(number, out var known))
                {
                    options.OnHeld?.Invoke(bytes);
                    if (counts.Count == MaxNumbers)
                        throw new QueryLimitException(nameof(MaxNumbers), MaxNumbers, MaxNumbers + 1L, "facet");
                    known = (
                        0,
                        [.. facet.Aggregates.Select(a => new FacetAggregate(a.Field, 0, 0, double.NaN, double.NaN))]
                    );
                }

                for (var i = 0; i < aggregated.Length; i++)
                    known.Aggregates[i] = Add(known.Aggregates[i], aggregated[i], hits.Current.Entry);
                counts[number] = (known.Count + 1, known.Aggregates);
            }
        }

        foreach ((var number, (var count, var aggregates)) in counts)
            yield return new FacetCount(number.ToString("R", CultureInfo.InvariantCulture), count, aggregates);
        options.OnHeld?.Invoke(-bytes * counts.Count);
    }

    private static FacetAggregate Add(
        FacetAggregate known,
        (ColumnReader? Longs, ColumnReader? Doubles) columns,
        int entry
    )
    {
        var numbers = new List<double>();
        Read(columns.Longs, columns.Doubles, entry, numbers);
        if (numbers is not [var number, ..])
            return known;
        return new FacetAggregate(
            known.Field,
            known.Count + 1,
            known.Sum + number,
            known.Count == 0 ? number : Math.Min(known.Min, number),
            known.Count == 0 ? number : Math.Max(known.Max, number)
        );
    }

    private static void Read(ColumnReader? longs, ColumnReader? doubles, int entry, List<double> numbers)
    {
        var raw = new List<long>();
        longs?.GetValues(entry, raw);
        numbers.AddRange(raw.Select(v => (double)v));
        raw.Clear();
        doubles?.GetValues(entry, raw);
        numbers.AddRange(raw.Select(BitConverter.Int64BitsToDouble).Where(double.IsFinite));
    }
}
