using System.Text;

namespace Pipeline.Database.Queries.Language;

/// <summary>
/// Cuts the text of <c>search()</c> at white space and double quotes. A backslash makes <c>* "</c> and itself ordinary.
/// Users' texts go in as they are: nothing is refused, and signs such as + - : mean nothing here (they do in
/// <c>lucene()</c>).
/// </summary>
public static class SearchText
{
    /// <summary>Cuts a text.</summary>
    /// <param name="text">The text.</param>
    /// <returns>Its parts in order; none is empty.</returns>
    public static IReadOnlyList<SearchPart> Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var parts = new List<SearchPart>();
        for (var at = 0; at < text.Length; )
        {
            if (char.IsWhiteSpace(text[at]))
                at++;
            else if (text[at] == '"')
                at = Phrase(text, at + 1, parts);
            else
                at = Word(text, at, parts);
        }

        return parts;
    }

    private static int Phrase(string text, int at, List<SearchPart> parts)
    {
        var phrase = new StringBuilder();
        for (; at < text.Length && text[at] != '"'; at++)
        {
            if (IsEscape(text, at))
                at++;
            phrase.Append(text[at]);
        }

        if (!string.IsNullOrWhiteSpace(phrase.ToString()))
            parts.Add(new SearchPart(SearchPartKind.Phrase, phrase.ToString()));
        return at + 1;
    }

    private static int Word(string text, int at, List<SearchPart> parts)
    {
        var word = new StringBuilder();
        var pattern = new StringBuilder();
        var isPattern = false;
        for (; at < text.Length && !char.IsWhiteSpace(text[at]) && text[at] != '"'; at++)
        {
            var isEscaped = IsEscape(text, at);
            if (isEscaped)
                at++;
            var c = text[at];
            isPattern |= !isEscaped && c == '*';
            if (c is '\\' or '?' || (isEscaped && c == '*'))
                pattern.Append('\\');
            pattern.Append(c);
            word.Append(c);
        }

        parts.Add(
            isPattern
                ? new SearchPart(SearchPartKind.Wildcard, pattern.ToString())
                : new SearchPart(SearchPartKind.Word, word.ToString())
        );
        return at;
    }

    private static bool IsEscape(string text, int at) =>
        text[at] == '\\' && at + 1 < text.Length && text[at + 1] is '*' or '"' or '\\';
}
