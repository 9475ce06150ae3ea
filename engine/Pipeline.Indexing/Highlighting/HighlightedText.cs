using System.Text;
using Pipeline.Indexing.Analysis;

namespace Pipeline.Indexing.Highlighting;

/// <summary>
/// A text, the boundaries of its tokens, and which of them are to be marked. Offsets are of UTF-16 code units.
/// </summary>
internal sealed class HighlightedText
{
    private readonly List<(int Start, int End)> _tokens = [];
    private readonly List<HighlightMark> _marks = [];

    public HighlightedText(string text, Analyzer analyzer, HighlightTerms terms, TokenBuffer buffer)
    {
        Text = text.Length <= HighlightOptions.MaxTextLength ? text : text[..HighlightOptions.MaxTextLength];
        var phrases = new Dictionary<byte[], List<(int Position, int Token)>>(TermComparer.Instance);
        foreach (var phrase in terms.Phrases)
            phrase.Want(phrases);

        var phraseTerms = phrases.GetAlternateLookup<ReadOnlySpan<byte>>();
        var numbers = new List<int>();
        var bytes = Encoding.UTF8.GetBytes(Text);
        var (position, units, read) = (-1, 0, 0);
        foreach (var token in analyzer.Tokens(bytes, buffer))
        {
            // Tokens of one word (parts) have its offsets; else they rise.
            if (token.Start < read)
                (units, read) = (0, 0);
            var start = units += Encoding.UTF8.GetCharCount(bytes.AsSpan(read, token.Start - read));
            var end = units += Encoding.UTF8.GetCharCount(bytes.AsSpan(token.Start, token.End - token.Start));
            read = token.End;
            position += token.PositionIncrement;
            if (phraseTerms.TryGetValue(token.Term, out var places))
                places.Add((position, _tokens.Count));
            terms.Find(token.Term, numbers);
            foreach (var number in numbers)
                _marks.Add(new HighlightMark(start, end, number));
            _tokens.Add((start, end));
        }

        foreach (var phrase in terms.Phrases)
        {
            foreach (var token in phrase.Occurrences(phrases))
                _marks.Add(new HighlightMark(_tokens[token].Start, _tokens[token].End, phrase.Number));
        }

        _marks.Sort();
    }

    public string Text { get; }

    /// <summary>The tokens' places, in order.</summary>
    public IReadOnlyList<(int Start, int End)> Tokens => _tokens;

    /// <summary>
    /// The marks, by their start; of several with the same start, the one with the lowest number comes first.
    /// </summary>
    public IReadOnlyList<HighlightMark> Marks => _marks;
}
