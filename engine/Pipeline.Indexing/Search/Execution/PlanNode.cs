using System.Globalization;
using System.Text;

namespace Pipeline.Indexing;

/// <summary>A step of how a query was run.</summary>
/// <param name="Operation">
/// What the step does: <c>term</c>, <c>and</c>, <c>or</c>, <c>range</c>, <c>top by score</c> ...
/// </param>
/// <param name="Detail">Field, value or way that was chosen.</param>
/// <param name="EstimatedCount">How many entries were expected to match, before it ran.</param>
/// <param name="ActualCount">
/// How many entries it returned; null if they were skipped or counted without being read.
/// </param>
/// <param name="Elapsed">
/// The time within the step and those below it; null unless <see cref="SearchOptions.Timings"/> was asked for.
/// </param>
/// <param name="Steps">The steps that it takes its entries from.</param>
public sealed record PlanNode(
    string Operation,
    string Detail,
    long EstimatedCount,
    long? ActualCount,
    TimeSpan? Elapsed,
    IReadOnlyList<PlanNode> Steps
)
{
    /// <summary>The tree as lines of text, indented.</summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        var text = new StringBuilder();
        Write(text, 0);
        return text.ToString();
    }

    private void Write(StringBuilder text, int depth)
    {
        text.Append(' ', depth * 2).Append(Operation);
        if (Detail.Length > 0)
            text.Append(' ').Append(Detail);
        text.Append(CultureInfo.InvariantCulture, $" (estimated {EstimatedCount}");
        if (ActualCount is { } count)
            text.Append(CultureInfo.InvariantCulture, $", actual {count}");
        if (Elapsed is { } time)
            text.Append(CultureInfo.InvariantCulture, $", {time.TotalMilliseconds:F3} ms");
        text.Append(")\n");
        foreach (var step in Steps)
            step.Write(text, depth + 1);
    }
}
