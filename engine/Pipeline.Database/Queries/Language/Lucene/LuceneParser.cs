using System.Globalization;
using System.Text;

namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>
/// Reads Lucene's classic query syntax: <c>+title:(new "york city"~2) -year:[1990 TO 2000] star* roam~0.8 /joh?n/ a AND
/// b</c>.
/// </summary>
/// <remarks>
/// AND, OR and NOT mean the same as in Lucene's classic parser. AND makes the clauses on both sides required, so <c>a
/// AND b OR c</c> is <c>+a +b c</c>. Use parentheses for any other meaning.
/// </remarks>
public sealed class LuceneParser
{
    private const string Ends = "()[]{}\":^~";
    private readonly string _text;
    private int _at;
    private int _depth;

    private LuceneParser(string text) => _text = text;

    /// <summary>Reads a text.</summary>
    /// <param name="text">The text.</param>
    /// <returns>The tree; null where the text is blank.</returns>
    /// <exception cref="InvalidQueryException">
    /// The text is not in the syntax. Places are those of <paramref name="text"/>.
    /// </exception>
    public static LuceneNode? Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (text.Length > QueryTextLimits.MaxLength)
        {
            throw new InvalidQueryException(
                QueryErrorKind.Limit,
                text,
                default,
                $"the text is longer than {nameof(QueryTextLimits.MaxLength)}, {QueryTextLimits.MaxLength}"
            );
        }

        var parser = new LuceneParser(text);
        parser.SkipSpace();
        if (parser._at == text.Length)
            return null;
        var node = parser.Clauses(null);
        return parser._at == text.Length
            ? node
            : throw parser.Error(
                parser._at,
                1,
                $"'{text[parser._at]}' closes nothing",
                "put a backslash before it to search for it"
            );
    }

    private LuceneNode Clauses(string? field)
    {
        if (++_depth > QueryTextLimits.MaxDepth)
        {
            throw new InvalidQueryException(
                QueryErrorKind.Limit,
                _text,
                new SourceSpan(_at, 1),
                $"parentheses stand within one another more than {nameof(QueryTextLimits.MaxDepth)}, {QueryTextLimits.MaxDepth}, deep"
            );
        }

        var clauses = new List<LuceneClause>();
        while (true)
        {
            SkipSpace();
            if (_at == _text.Length || _text[_at] == ')')
                break;
            var and = TryWord("AND") || TrySign("&&");
            var or = !and && (TryWord("OR") || TrySign("||"));
            if ((and || or) && clauses.Count == 0)
                throw Error(_at, 0, "a clause is expected before AND or OR", "write a AND b");
            SkipSpace();
            var occurrence = LuceneOccurrence.Should;
            if (TrySign("+"))
                occurrence = LuceneOccurrence.Must;
            else if (TrySign("-") || TrySign("!") || TryWord("NOT"))
                occurrence = LuceneOccurrence.MustNot;
            else if (and)
                occurrence = LuceneOccurrence.Must;
            SkipSpace();
            if (_at == _text.Length || _text[_at] == ')')
                throw Error(_at, 0, "a clause is expected here");
            if (and && clauses[^1].Occurrence == LuceneOccurrence.Should)
                clauses[^1] = clauses[^1] with { Occurrence = LuceneOccurrence.Must };
            clauses.Add(new LuceneClause(occurrence, Clause()));
        }

        _depth--;
        if (clauses.Count == 0)
            throw Error(_at, 0, "there is nothing in the parentheses");
        return clauses is [{ Occurrence: not LuceneOccurrence.MustNot }] && field is null
            ? clauses[0].Node
            : new LuceneBoolean(field, clauses, 1);
    }

    private LuceneNode Clause()
    {
        string? field = null;
        var start = _at;
        if (_text.AsSpan(_at).StartsWith("*:*", StringComparison.Ordinal))
        {
            _at += 3;
            return Suffix(new LuceneAll(1));
        }

        if (!IsEnd(_text[_at]) && _text[_at] != '/')
        {
            var word = Word(out _, out _);
            if (_at < _text.Length && _text[_at] == ':')
            {
                if (word.Length == 0)
                    throw Error(_at, 1, "a field's name is expected before ':'");
                field = word;
                _at++;
                SkipSpace();
                if (_at == _text.Length)
                    throw Error(_at, 0, $"a value is expected after '{field}:'");
            }
            else
            {
                _at = start;
            }
        }

        return Suffix(
            _text[_at] switch
            {
                '(' => Group(field),
                '"' => Phrase(field),
                '[' or '{' => Range(field),
                '/' => Regex(field),
                _ => Term(field),
            }
        );
    }

    private LuceneNode Group(string? field)
    {
        var open = _at++;
        var inner = Clauses(field);
        if (_at == _text.Length)
            throw Error(open, 1, "this parenthesis is not closed", "add ')'");
        _at++;
        return inner;
    }

    private LuceneTerm Term(string? field)
    {
        var start = _at;
        var text = Word(out var pattern, out var isPattern);
        if (_at == start)
            throw Error(_at, 1, $"'{_text[_at]}' cannot stand here", "put a backslash before it to search for it");
        return isPattern
            ? new LuceneTerm(field, pattern, LuceneTermKind.Wildcard, null, 1)
            : new LuceneTerm(field, text, LuceneTermKind.Word, null, 1);
    }

    private LucenePhrase Phrase(string? field)
    {
        var open = _at++;
        var text = new StringBuilder();
        for (; _at < _text.Length; _at++)
        {
            if (_text[_at] == '"')
            {
                _at++;
                return new LucenePhrase(field, text.ToString(), 0, 1);
            }

            if (_text[_at] == '\\' && _at + 1 < _text.Length)
                _at++;
            text.Append(_text[_at]);
        }

        throw Error(open, _text.Length - open, "this phrase is not closed", "add '\"'");
    }

    private LuceneTerm Regex(string? field)
    {
        var open = _at++;
        var pattern = new StringBuilder();
        for (; _at < _text.Length; _at++)
        {
            if (_text[_at] == '/')
            {
                _at++;
                return new LuceneTerm(field, pattern.ToString(), LuceneTermKind.Regex, null, 1);
            }

            if (_text[_at] == '\\' && _at + 1 < _text.Length && _text[_at + 1] == '/')
                _at++;
            pattern.Append(_text[_at]);
        }

        throw Error(
            open,
            _text.Length - open,
            "this regular expression is not closed",
            "add '/', or put a backslash before it"
        );
    }

    private LuceneRange Range(string? field)
    {
        var open = _at;
        var includesLow = _text[_at++] == '[';
        var low = End();
        SkipSpace();
        if (!TryWord("TO"))
            throw Error(_at, 0, "'TO' is expected in a range", "write [low TO high]");
        var high = End();
        SkipSpace();
        if (_at == _text.Length || _text[_at] is not (']' or '}'))
            throw Error(open, _at - open, "this range is not closed", "add ']', or '}' to leave the end out");
        return new LuceneRange(field, low, high, includesLow, _text[_at++] == ']', 1);
    }

    private string? End()
    {
        SkipSpace();
        if (_at < _text.Length && _text[_at] == '"')
            return Phrase(null).Text;
        var start = _at;
        var text = new StringBuilder();
        for (; _at < _text.Length && !char.IsWhiteSpace(_text[_at]) && _text[_at] is not (']' or '}'); _at++)
        {
            if (_text[_at] == '\\' && _at + 1 < _text.Length)
                _at++;
            text.Append(_text[_at]);
        }

        if (text.Length == 0)
            throw Error(start, 0, "a value is expected in the range", "write [low TO high], and * for no end");
        return text.ToString() is "*" ? null : text.ToString();
    }

    /// <summary>Reads the suffixes of a clause: <c>~2</c> and <c>^1.5</c>, in any order.</summary>
    private LuceneNode Suffix(LuceneNode node)
    {
        while (_at < _text.Length && _text[_at] is '~' or '^')
        {
            var start = _at;
            var isBoost = _text[_at++] == '^';
            var number = Number();
            if (isBoost)
            {
                node = number is >= 0
                    ? node with
                    {
                        Boost = node.Boost * number.Value,
                    }
                    : throw Error(start, 1, "a number is expected after '^'", "for instance ^2");
            }
            else
            {
                node = Loosened(node, number, start);
            }
        }

        return node;
    }

    private LuceneNode Loosened(LuceneNode node, double? number, int start) =>
        node switch
        {
            LucenePhrase phrase => phrase with { Slop = (int)Math.Min(number ?? 0, int.MaxValue) },
            LuceneTerm { Kind: LuceneTermKind.Word or LuceneTermKind.Fuzzy } term => term with
            {
                Kind = LuceneTermKind.Fuzzy,
                Fuzziness = number,
            },
            _ => throw Error(start, 1, "'~' follows a word or a phrase"),
        };

    private double? Number()
    {
        var start = _at;
        while (_at < _text.Length && (char.IsAsciiDigit(_text[_at]) || _text[_at] == '.'))
            _at++;
        if (_at == start)
            return null;
        return
            double.TryParse(
                _text.AsSpan(start, _at - start),
                NumberStyles.AllowDecimalPoint,
                CultureInfo.InvariantCulture,
                out var number
            ) && double.IsFinite(number)
            ? number
            : throw Error(start, _at - start, $"'{_text[start.._at]}' is not a number");
    }

    /// <summary>Reads a word up to its end.</summary>
    /// <param name="pattern">The word with a backslash before each of <c>* ? \</c> that had one.</param>
    /// <param name="isPattern">Whether it has a <c>*</c> or <c>?</c> without.</param>
    private string Word(out string pattern, out bool isPattern)
    {
        var text = new StringBuilder();
        var escaped = new StringBuilder();
        isPattern = false;
        for (; _at < _text.Length && !char.IsWhiteSpace(_text[_at]) && !IsEnd(_text[_at]); _at++)
        {
            var isEscaped = _text[_at] == '\\' && _at + 1 < _text.Length;
            if (isEscaped)
                _at++;
            var c = _text[_at];
            var isSpecial = c is '*' or '?' or '\\';
            isPattern |= !isEscaped && c is ('*' or '?');
            if (isSpecial && (isEscaped || c == '\\'))
                escaped.Append('\\');
            escaped.Append(c);
            text.Append(c);
        }

        pattern = escaped.ToString();
        return text.ToString();
    }

    private static bool IsEnd(char c) => Ends.Contains(c, StringComparison.Ordinal);

    private bool TrySign(string sign)
    {
        if (string.CompareOrdinal(_text, _at, sign, 0, sign.Length) != 0)
            return false;
        _at += sign.Length;
        return true;
    }

    private bool TryWord(string word)
    {
        var end = _at + word.Length;
        if (string.CompareOrdinal(_text, _at, word, 0, word.Length) != 0)
            return false;
        if (end < _text.Length && !char.IsWhiteSpace(_text[end]) && _text[end] is not ('(' or '"'))
            return false;
        _at = end;
        return true;
    }

    private void SkipSpace()
    {
        while (_at < _text.Length && char.IsWhiteSpace(_text[_at]))
            _at++;
    }

    private InvalidQueryException Error(int start, int length, string reason, string? suggestion = null) =>
        new(
            QueryErrorKind.Syntax,
            _text,
            new SourceSpan(start, Math.Min(length, _text.Length - start)),
            reason,
            suggestion
        );
}
