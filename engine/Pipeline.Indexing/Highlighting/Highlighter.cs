using System.Text;
using Pipeline.Indexing.Analysis;

namespace Pipeline.Indexing.Highlighting;

/// <summary>
/// Cuts the parts with the most search matches out of a field's texts, and marks the matches. The texts are analysed
/// again, so the index stores nothing for this. Thread-safe.
/// </summary>
public static class Highlighter
{
    /// <summary>
    /// The best fragments: those with the most different terms first, then those with the most places, then in the
    /// order of the text. Fragments do not overlap, begin and end at word boundaries, and hold no more than
    /// <see cref="HighlightOptions.FragmentLength"/> of the text.
    /// </summary>
    /// <param name="texts">The values of the field.</param>
    /// <param name="analyzer">The field's analyzer.</param>
    /// <param name="terms">The terms, patterns and phrases to mark.</param>
    /// <param name="options">Lengths, number, tags.</param>
    /// <param name="buffer">Memory to work in.</param>
    /// <returns>At most <see cref="HighlightOptions.FragmentCount"/> fragments; empty if nothing is found.</returns>
    public static IReadOnlyList<string> Highlight(
        IEnumerable<string> texts,
        Analyzer analyzer,
        HighlightTerms terms,
        HighlightOptions options,
        TokenBuffer buffer
    )
    {
        options.Validate();
        if (terms.Count == 0)
            return [];
        var candidates = new List<HighlightFragment>();
        var (left, order) = (HighlightOptions.MaxTextLength, 0);
        foreach (var text in texts)
        {
            if (left <= 0)
                break;
            var highlighted = new HighlightedText(text.Length <= left ? text : text[..left], analyzer, terms, buffer);
            left -= text.Length;
            AddCandidates(highlighted, order++, options.FragmentLength, candidates);
        }

        var chosen = Choose(candidates, options.FragmentCount);
        foreach (var sameText in chosen.GroupBy(c => c.Order))
            Widen([.. sameText.OrderBy(c => c.First)], options.FragmentLength);
        return [.. chosen.Select(c => Render(c, options))];
    }

    /// <summary>From each mark on, as many marks as go in a fragment.</summary>
    private static void AddCandidates(HighlightedText text, int order, int length, List<HighlightFragment> candidates)
    {
        var (marks, numbers) = (text.Marks, new HashSet<int>());
        for (var first = 0; first < marks.Count; first++)
        {
            if (first > 0 && marks[first].Start == marks[first - 1].Start)
                continue;
            numbers.Clear();
            var (last, end) = (first, marks[first].End);
            for (; last < marks.Count && (last == first || marks[last].End <= marks[first].Start + length); last++)
            {
                numbers.Add(marks[last].Number);
                end = Math.Max(end, marks[last].End);
            }

            candidates.Add(
                new HighlightFragment(text, order, first, last, numbers.Count) { Start = marks[first].Start, End = end }
            );
        }
    }

    private static List<HighlightFragment> Choose(List<HighlightFragment> candidates, int count)
    {
        candidates.Sort();
        var chosen = new List<HighlightFragment>();
        foreach (var candidate in candidates)
        {
            if (chosen.Count == count)
                break;
            if (!chosen.Exists(candidate.Overlaps))
                chosen.Add(candidate);
        }

        return chosen;
    }

    /// <summary>
    /// Extends the fragments of one text, in its order, around their marks up to the length, as evenly on both sides as
    /// possible.
    /// </summary>
    private static void Widen(List<HighlightFragment> fragments, int length)
    {
        for (var i = 0; i < fragments.Count; i++)
        {
            var from = i == 0 ? 0 : fragments[i - 1].End;
            var to = i + 1 < fragments.Count ? fragments[i + 1].Start : fragments[i].Text.Text.Length;
            fragments[i].Widen(from, to, length);
        }
    }

    private static string Render(HighlightFragment fragment, HighlightOptions options)
    {
        var (text, marks) = (fragment.Text.Text, fragment.Text.Marks);
        var output = new StringBuilder();
        var at = fragment.Start;
        for (var i = fragment.First; i < fragment.Last; )
        {
            // Marks that overlap (parts of one word) are one, with the tag of the first.
            var (start, end, number) = marks[i];
            for (i++; i < fragment.Last && marks[i].Start < end; i++)
                end = Math.Max(end, marks[i].End);
            Append(output, text.AsSpan(at, start - at), options.Encoding);
            output.Append(options.PreTags[number % options.PreTags.Count]);
            Append(output, text.AsSpan(start, end - start), options.Encoding);
            output.Append(options.PostTags[number % options.PostTags.Count]);
            at = end;
        }

        Append(output, text.AsSpan(at, fragment.End - at), options.Encoding);
        return output.ToString();
    }

    private static void Append(StringBuilder output, ReadOnlySpan<char> text, HighlightEncoding encoding)
    {
        if (encoding == HighlightEncoding.None)
        {
            output.Append(text);
            return;
        }

        foreach (var c in text)
        {
            _ = c switch
            {
                '&' => output.Append("&amp;"),
                '<' => output.Append("&lt;"),
                '>' => output.Append("&gt;"),
                '"' => output.Append("&quot;"),
                '\'' => output.Append("&#39;"),
                _ => output.Append(c),
            };
        }
    }
}
