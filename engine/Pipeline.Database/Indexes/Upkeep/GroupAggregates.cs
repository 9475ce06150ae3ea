using System.Text.Json;
using Pipeline.Database.Queries.Binding;
using Pipeline.Database.Queries.Demands;
using Pipeline.Json;

namespace Pipeline.Database.Indexes;

/// <summary>
/// What automatic indexes compute for groups. Each is associative, so that parts of a group may be computed first: sums
/// and counts add up, and of <c>min</c>
/// and <c>max</c> numbers are taken before dates and those before other texts, whatever else a group has.
/// </summary>
internal static class GroupAggregates
{
    private const int NumberRank = 0,
        DateRank = 1,
        TextRank = 2,
        NoRank = 3;

    /// <summary>
    /// Writes the sum of values, the count of numbers, the minimum or the maximum; null if there is no minimum or
    /// maximum.
    /// </summary>
    public static void Write(Utf8JsonWriter json, string name, string function, IEnumerable<BinaryValue> values)
    {
        switch (function)
        {
            case "sum":
                Write(json, name, Sum(values));
                break;
            case "count":
                json.WriteNumber(name, values.Count(v => v.TryGetDouble(out _)));
                break;
            default:
                Write(
                    json,
                    name,
                    values
                        .Select(Candidate.Of)
                        .Where(c => c.Rank != NoRank)
                        .Aggregate(
                            (Candidate?)null,
                            (best, c) => best is { } b && !c.Beats(b, function == "max") ? b : c
                        )
                );
                break;
        }
    }

    /// <summary>Writes the average from the sums and counts of a group's parts; null if they have no numbers.</summary>
    public static void WriteAverage(Utf8JsonWriter json, AggregateDemand average, IReadOnlyList<BinaryJson> parts)
    {
        (var count, _) = Sum(parts.Select(p => p.Root[AggregateDemand.Of("count", average.Path!).Name]));
        (var exact, var rounded) = Sum(parts.Select(p => p.Root[AggregateDemand.Of("sum", average.Path!).Name]));
        if (count == 0)
            json.WriteNull(average.Name);
        else
            Write(json, average.Name, (exact / count, rounded / (double)count));
    }

    /// <summary>The sum, exact as long as a decimal can hold it; values that are not numbers are ignored.</summary>
    private static (decimal Exact, double? Rounded) Sum(IEnumerable<BinaryValue> values)
    {
        decimal exact = 0;
        double rounded = 0;
        var isExact = true;
        foreach (var value in values)
        {
            if (!value.TryGetDouble(out var number))
                continue;
            rounded += number;
            if (!isExact)
                continue;
            try
            {
                isExact = TryGetExact(value, number, out var whole);
                exact += whole;
            }
            catch (OverflowException)
            {
                isExact = false;
            }
        }

        return (exact, isExact ? null : rounded);
    }

    /// <summary>The number as a decimal, unless it is so small that a decimal has too few of its digits.</summary>
    private static bool TryGetExact(BinaryValue value, double number, out decimal exact) =>
        value.TryGetDecimal(out exact) && Math.Abs((double)exact - number) <= Math.Abs(number) * 1e-14;

    private static void Write(Utf8JsonWriter json, string name, (decimal Exact, double? Rounded) number)
    {
        // The division takes zeros at the end away.
        if (number.Rounded is not { } rounded)
            json.WriteNumber(name, number.Exact / 1.0000000000000000000000000000m);
        else if (double.IsFinite(rounded))
            json.WriteNumber(name, rounded);
        else
            json.WriteNull(name);
    }

    private static void Write(Utf8JsonWriter json, string name, Candidate? best)
    {
        if (best is not { } found)
            json.WriteNull(name);
        else if (found.Rank != NumberRank)
            json.WriteString(name, found.Text);
        else if (found.Exact is { } exact)
            Write(json, name, (exact, null));
        else
            Write(json, name, (0, found.Number));
    }

    /// <summary>A value that may be the least or the greatest.</summary>
    private readonly record struct Candidate(int Rank, double Number, decimal? Exact, string Text, byte[]? Date)
    {
        public static Candidate Of(BinaryValue value)
        {
            if (value.TryGetDouble(out var number))
            {
                return new Candidate(
                    NumberRank,
                    number,
                    TryGetExact(value, number, out var exact) ? exact : null,
                    "",
                    null
                );
            }

            if (!value.TryGetString(out var text))
                return new Candidate(NoRank, 0, null, "", null);
            var date = DateTerm.TryMake(text);
            return new Candidate(date is null ? TextRank : DateRank, 0, null, text, date);
        }

        public bool Beats(Candidate other, bool isMax)
        {
            if (Rank != other.Rank)
                return Rank < other.Rank;
            var order = Rank switch
            {
                NumberRank when Exact is { } exact && other.Exact is { } than => exact.CompareTo(than),
                NumberRank => Number.CompareTo(other.Number),
                DateRank => Date.AsSpan().SequenceCompareTo(other.Date),
                _ => 0,
            };
            if (order == 0)
                order = string.CompareOrdinal(Text, other.Text);
            return isMax ? order > 0 : order < 0;
        }
    }
}
