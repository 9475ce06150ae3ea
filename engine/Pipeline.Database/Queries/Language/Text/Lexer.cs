using System.Text;

namespace Pipeline.Database.Queries.Language;

/// <summary>
/// Cuts a query's text into tokens, one at a time from any place, so that a parser can look ahead and come back.
/// </summary>
internal sealed class Lexer
{
    // Longer signs come before their beginnings.
    private static readonly string[] Symbols =
    [
        "===",
        "!==",
        "...",
        "==",
        "!=",
        "<>",
        "<=",
        ">=",
        "=>",
        "&&",
        "||",
        "?.",
        "=",
        "<",
        ">",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        ":",
        "?",
        "+",
        "-",
        "*",
        "/",
        "%",
        "!",
        ";",
    ];

    private readonly string _text;

    internal Lexer(string text) => _text = text;

    /// <summary>Where the next token is looked for; may be set to any place between two tokens.</summary>
    internal int Position { get; set; }

    /// <summary>Reads the next token.</summary>
    internal QueryToken Next()
    {
        SkipSpaceAndComments();
        var start = Position;
        if (start >= _text.Length)
            return new QueryToken(TokenKind.End, new SourceSpan(_text.Length, 0), "");
        var c = _text[start];
        if (IsIdentifierStart(c))
            return Identifier(start);
        if (char.IsAsciiDigit(c) || (c == '.' && start + 1 < _text.Length && char.IsAsciiDigit(_text[start + 1])))
            return Number(start);
        if (c is '\'' or '"')
            return QuotedString(start, c);
        if (c == '$')
            return Parameter(start);
        foreach (var symbol in Symbols)
        {
            if (string.CompareOrdinal(_text, start, symbol, 0, symbol.Length) != 0)
                continue;
            // In a ? .5 : 1 the sign is a question mark before a number.
            if (symbol == "?." && start + 2 < _text.Length && char.IsAsciiDigit(_text[start + 2]))
                continue;
            Position = start + symbol.Length;
            return new QueryToken(TokenKind.Symbol, new SourceSpan(start, symbol.Length), symbol);
        }

        var length = char.IsHighSurrogate(c) && start + 1 < _text.Length ? 2 : 1;
        throw Error(
            start,
            length,
            $"'{Show(c)}' does not belong to the query language",
            c is '`' or '“' or '”' or '‘' or '’' ? "write strings in ' or \"" : null
        );
    }

    /// <summary>
    /// Reads <c>{ … }</c> of another language: up to the brace that closes it, minding its strings and comments.
    /// </summary>
    /// <returns>The text between the braces.</returns>
    internal string Braces()
    {
        SkipSpaceAndComments();
        int open = Position,
            depth = 0;
        for (var i = open; i < _text.Length; i++)
        {
            var c = _text[i];
            if (c is '\'' or '"' or '`')
            {
                i = EndOfForeignString(i, c);
            }
            else if (c == '/' && i + 1 < _text.Length && _text[i + 1] is '/' or '*')
            {
                i = EndOfComment(i) - 1;
            }
            else if (c == '{')
            {
                depth++;
            }
            else if (c == '}' && --depth == 0)
            {
                Position = i + 1;
                return _text[(open + 1)..i];
            }
        }

        throw Error(open, 1, "this brace is not closed", "add '}'");
    }

    /// <summary>Whether a name can be written without quotes, keywords aside.</summary>
    internal static bool IsPlainName(string name) =>
        name.Length > 0 && IsIdentifierStart(name[0]) && EndOfIdentifier(name, 0) == name.Length;

    private static bool IsIdentifierStart(char c) => char.IsLetter(c) || c is '_' or '@';

    private static int EndOfIdentifier(string text, int start)
    {
        var metadata = text[start] == '@';
        var at = start + 1;
        while (at < text.Length)
        {
            var c = text[at];
            // Names of metadata such as @last-modified hold a dash; anywhere else it subtracts.
            var dash = metadata && c == '-' && at + 1 < text.Length && char.IsLetter(text[at + 1]);
            if (!char.IsLetterOrDigit(c) && c is not ('_' or '@') && !dash)
                break;
            at++;
        }

        return at;
    }

    private QueryToken Identifier(int start)
    {
        Position = EndOfIdentifier(_text, start);
        return new QueryToken(TokenKind.Identifier, new SourceSpan(start, Position - start), _text[start..Position]);
    }

    private QueryToken Parameter(int start)
    {
        var at = start + 1;
        while (at < _text.Length && (char.IsLetterOrDigit(_text[at]) || _text[at] == '_'))
            at++;
        if (at == start + 1)
            throw Error(start, 1, "a parameter's name is expected after '$'", "for instance $name");
        Position = at;
        return new QueryToken(TokenKind.Parameter, new SourceSpan(start, at - start), _text[(start + 1)..at]);
    }

    private QueryToken Number(int start)
    {
        var at = start;
        if (
            _text[at] == '0'
            && at + 2 < _text.Length
            && _text[at + 1] is 'x' or 'X'
            && char.IsAsciiHexDigit(_text[at + 2])
        )
        {
            at += 2;
            while (at < _text.Length && char.IsAsciiHexDigit(_text[at]))
                at++;
        }
        else
        {
            at = Digits(at);
            if (at + 1 < _text.Length && _text[at] == '.' && char.IsAsciiDigit(_text[at + 1]))
                at = Digits(at + 1);
            if (at < _text.Length && _text[at] is 'e' or 'E')
            {
                var exponent = at + 1;
                if (exponent < _text.Length && _text[exponent] is '+' or '-')
                    exponent++;
                if (exponent < _text.Length && char.IsAsciiDigit(_text[exponent]))
                    at = Digits(exponent);
            }
        }

        if (at < _text.Length && IsIdentifierStart(_text[at]))
        {
            var end = EndOfIdentifier(_text, at);
            throw Error(
                start,
                end - start,
                $"'{_text[start..end]}' is not a number",
                "write names and texts that begin with a digit in quotes"
            );
        }

        Position = at;
        return new QueryToken(TokenKind.Number, new SourceSpan(start, at - start), _text[start..at]);
    }

    private int Digits(int at)
    {
        while (
            at < _text.Length
            && (
                char.IsAsciiDigit(_text[at])
                || (_text[at] == '_' && at + 1 < _text.Length && char.IsAsciiDigit(_text[at + 1]))
            )
        )
        {
            at++;
        }

        return at;
    }

    private QueryToken QuotedString(int start, char quote)
    {
        var content = new StringBuilder();
        for (var i = start + 1; i < _text.Length; i++)
        {
            var c = _text[i];
            if (c == '\\' && i + 1 < _text.Length)
            {
                i = Escape(i + 1, content);
            }
            else if (c != quote)
            {
                content.Append(c);
            }
            else if (i + 1 < _text.Length && _text[i + 1] == quote)
            {
                content.Append(quote);
                i++;
            }
            else
            {
                Position = i + 1;
                return new QueryToken(TokenKind.String, new SourceSpan(start, Position - start), content.ToString());
            }
        }

        throw Error(start, _text.Length - start, "this string is not closed", $"add {quote} where it ends");
    }

    private int Escape(int at, StringBuilder content)
    {
        var c = _text[at];
        if (
            c == 'u'
            && at + 4 < _text.Length
            && ushort.TryParse(
                _text.AsSpan(at + 1, 4),
                System.Globalization.NumberStyles.AllowHexSpecifier,
                null,
                out var unit
            )
        )
        {
            content.Append((char)unit);
            return at + 4;
        }

        content.Append(
            c switch
            {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'b' => '\b',
                'f' => '\f',
                '\\' or '\'' or '"' or '/' => c,
                'u' => throw Error(at - 1, 2, "'\\u' needs four hexadecimal digits", "write '\\\\' for a backslash"),
                _ => '\\',
            }
        );
        // A backslash before any other character stands for itself: lucene('a\-b') reaches Lucene's syntax unchanged.
        if (content[^1] == '\\' && c != '\\')
            content.Append(c);
        return at;
    }

    private void SkipSpaceAndComments()
    {
        while (Position < _text.Length)
        {
            var c = _text[Position];
            if (char.IsWhiteSpace(c) || c == '\uFEFF')
            {
                Position++;
                continue;
            }

            var next = Position + 1 < _text.Length ? _text[Position + 1] : '\0';
            if ((c == '/' && next is '/' or '*') || (c == '-' && next == '-'))
                Position = EndOfComment(Position);
            else
                return;
        }
    }

    private int EndOfComment(int start)
    {
        if (_text[start + 1] == '*')
        {
            var end = _text.IndexOf("*/", start + 2, StringComparison.Ordinal);
            return end >= 0 ? end + 2 : throw Error(start, 2, "this comment is not closed", "add */");
        }

        var line = _text.IndexOf('\n', start);
        return line < 0 ? _text.Length : line + 1;
    }

    private int EndOfForeignString(int start, char quote)
    {
        for (var i = start + 1; i < _text.Length; i++)
        {
            if (_text[i] == '\\')
                i++;
            else if (_text[i] == quote)
                return i;
        }

        throw Error(start, _text.Length - start, "this string is not closed", $"add {quote} where it ends");
    }

    private InvalidQueryException Error(int start, int length, string reason, string? suggestion) =>
        new(QueryErrorKind.Syntax, _text, new SourceSpan(start, length), reason, suggestion);

    private static string Show(char c) => char.IsControl(c) || char.IsSurrogate(c) ? $"U+{(int)c:X4}" : c.ToString();
}
