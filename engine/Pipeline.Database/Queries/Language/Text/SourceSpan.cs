namespace Pipeline.Database.Queries.Language;

/// <summary>A part of a query's text.</summary>
/// <param name="Start">The first character, from 0, in UTF-16 units.</param>
/// <param name="Length">How many characters it has.</param>
public readonly record struct SourceSpan(int Start, int Length)
{
    /// <summary>The character after the last one.</summary>
    public int End => Start + Length;

    /// <summary>From the start of one part to the end of a later one.</summary>
    /// <param name="first">The part that begins it.</param>
    /// <param name="last">The part that ends it.</param>
    /// <returns>The whole.</returns>
    public static SourceSpan Between(SourceSpan first, SourceSpan last) =>
        new(first.Start, Math.Max(0, last.End - first.Start));
}
