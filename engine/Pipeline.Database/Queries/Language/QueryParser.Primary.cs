using System.Globalization;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Language;

public sealed partial class QueryParser
{
    private ExpressionSyntax Postfix()
    {
        var value = Primary();
        while (true)
        {
            if (_token.IsSymbol(".") || _token.IsSymbol("?."))
            {
                Advance();
                var at = _token;
                var name = Name("a property's name");
                value =
                    _token.IsSymbol("(") && at.Kind == TokenKind.Identifier
                        ? Call(value, name, at)
                        : Member(value, name, at);
            }
            else if (_token.IsSymbol("["))
            {
                value = Brackets(value);
            }
            else
            {
                return value;
            }

            Bounded(value);
        }
    }

    private ExpressionSyntax Member(ExpressionSyntax target, string name, QueryToken at)
    {
        var span = SourceSpan.Between(target.Span, at.Span);
        if (target is not FieldSyntax field)
            return new MemberSyntax(target, name, span);
        if (field.Segments.Count >= QueryTextLimits.MaxDepth)
            throw TooDeep(span);
        return new FieldSyntax([.. field.Segments, new FieldSegment(name, false)], span);
    }

    private ExpressionSyntax Brackets(ExpressionSyntax target)
    {
        Advance();
        if (_token.IsSymbol("]"))
        {
            var span = SourceSpan.Between(target.Span, _token.Span);
            if (AsField(target) is not FieldSyntax field)
            {
                throw Error(
                    _token,
                    "'[]' follows the name of a field",
                    "write Lines[].Product for the products of all lines"
                );
            }

            Advance();
            return new FieldSyntax([.. field.Segments.SkipLast(1), field.Segments[^1] with { IsArray = true }], span);
        }

        var index = Expression();
        var close = _token;
        Expect("]", "an index stands between [ and ]");
        return new IndexSyntax(target, index, SourceSpan.Between(target.Span, close.Span));
    }

    private ExpressionSyntax Primary()
    {
        var token = _token;
        switch (token.Kind)
        {
            case TokenKind.Number:
                return Number(null);
            case TokenKind.String:
                Advance();
                return new LiteralSyntax(token.Text, token.Span);
            case TokenKind.Parameter:
                Advance();
                return new ParameterSyntax(token.Text, token.Span);
            case TokenKind.Identifier:
                return Word(token);
            case TokenKind.Symbol when token.Text == "(":
                return IsLambdaHere() ? Lambda() : Parenthesized();
            case TokenKind.Symbol when token.Text == "[":
                return Array(token);
            case TokenKind.Symbol when token.Text == "{":
                return Object(token);
            default:
                throw NoValue(token);
        }
    }

    private ExpressionSyntax Word(QueryToken token)
    {
        if (token.IsWord("true") || token.IsWord("false") || token.IsWord("null"))
        {
            Advance();
            return new LiteralSyntax(token.IsWord("null") ? null : token.IsWord("true"), token.Span);
        }

        var next = Peek();
        if (next.IsSymbol("=>"))
            return Lambda();
        if (
            (token.Text == "new" && next.Kind == TokenKind.Identifier)
            || (token.Text == "function" && next.IsSymbol("("))
        )
        {
            throw NotSupported(
                token,
                $"JavaScript ('{token.Text}')",
                "expressions, objects, arrays and methods such as map() are"
            );
        }

        if (token.IsWord("and") || token.IsWord("or") || (ClauseHere() is not null && !GoesOn(next)))
            throw NoValue(token);
        Advance();
        if (_token.IsSymbol("("))
            return Call(null, token.Text, token);
        var field = new FieldSyntax([new FieldSegment(token.Text, false)], token.Span);
        if (!token.IsWord("spatial") || !_token.IsSymbol("."))
            return field;
        var function = Peek();
        if (function.Kind != TokenKind.Identifier)
            return field;
        var position = _lexer.Position;
        Advance();
        if (Peek().IsSymbol("("))
        {
            Advance();
            return Call(null, "spatial." + function.Text, token);
        }

        _lexer.Position = position;
        _token = new QueryToken(TokenKind.Symbol, new SourceSpan(position - 1, 1), ".");
        return field;
    }

    /// <summary>Whether a word that could begin a clause is a field here; the next token decides.</summary>
    private static bool GoesOn(QueryToken next) =>
        next.Kind == TokenKind.Symbol
            ? !(next.Text is "{" or "!" or "$" or "-" or "?")
            : next.Kind == TokenKind.End
                || next.IsWord("in")
                || next.IsWord("between")
                || next.IsWord("and")
                || next.IsWord("or")
                || next.IsWord("as")
                || next.IsWord("asc")
                || next.IsWord("desc");

    private ExpressionSyntax Parenthesized()
    {
        var open = _token;
        Advance();
        var value = Expression();
        if (!_token.IsSymbol(")"))
        {
            throw Error(
                _token,
                $"')' is expected, not {_token.Describe()}",
                QueryWords.Suggest(_token.Text, "and", "or", "between", "in")
                    ?? $"the parenthesis at {Place(open)} is not closed"
            );
        }

        Advance();
        return value;
    }

    private const string TimeSeriesSuggestion = "keep the values in documents, and group them by a field";

    private CallSyntax Call(ExpressionSyntax? target, string name, QueryToken at)
    {
        if (_inCondition && target is FieldSyntax { Segments: [{ Name: "vector" or "embedding" } space] })
        {
            throw NotSupported(
                at,
                $"search by vectors ({space.Name}.{name})",
                "search for words with search(), or for documents like another with moreLikeThis()"
            );
        }

        if (target is null && name.Equals("timeseries", StringComparison.OrdinalIgnoreCase) && Peek().IsWord("from"))
            throw NotSupported(at, "time series", TimeSeriesSuggestion);
        Advance();
        List<ExpressionSyntax> arguments = [];
        while (!_token.IsSymbol(")"))
        {
            if (_token.IsSymbol("*") && name.Equals("count", StringComparison.OrdinalIgnoreCase))
                throw Error(_token, "'*' is not a field", "write count()");
            if (arguments.Count > 0)
            {
                if (!_token.IsSymbol(","))
                {
                    throw Error(
                        _token,
                        $"',' or ')' is expected, not {_token.Describe()}",
                        $"the parenthesis of {name}( is not closed"
                    );
                }

                Advance();
            }

            var argument = Argument();
            if (
                _token.IsWord("as")
                && argument is CallSyntax { Target: null } aggregate
                && target is null
                && name.Equals("facet", StringComparison.OrdinalIgnoreCase)
            )
            {
                Advance();
                argument = aggregate with { Alias = Name("the name of an aggregate") };
            }

            arguments.Add(argument);
        }

        var span = SourceSpan.Between(target?.Span ?? at.Span, _token.Span);
        Advance();
        return Bounded(
            new CallSyntax(target, target is null ? Function(name, at, arguments.Count) : name, arguments, span)
        );
    }

    private ExpressionSyntax Argument()
    {
        var token = _token;
        if (!token.IsWord("and") && !token.IsWord("or"))
            return Expression();
        if (!Peek().IsSymbol(")") && !Peek().IsSymbol(","))
            throw NoValue(token);
        Advance();
        return new KeywordSyntax(token.IsWord("and") ? "and" : "or", token.Span);
    }

    private string Function(string name, QueryToken at, int given)
    {
        if (_functions.Any(f => f.Name == name))
            return name;
        if (!KnownFunctions.TryGet(name, out var documented, out var min, out var max))
        {
            throw Error(
                at with
                {
                    Span = new SourceSpan(at.Span.Start, name.Length),
                },
                $"there is no function '{name}'",
                QueryWords.Suggest(name, KnownFunctions.Names.Concat(_functions.Select(f => f.Name)))
            );
        }

        if (given >= min && given <= max)
            return documented;
        var takes =
            max == int.MaxValue ? $"at least {min}"
            : min == max ? $"{min}"
            : $"{min} to {max}";
        throw Error(
            at,
            $"{documented}() takes {takes} argument{(max == 1 ? "" : "s")}, not {given}",
            KnownFunctions.FormOf(documented) is { } form ? $"for instance {form}" : null
        );
    }

    private LiteralSyntax Number(QueryToken? sign)
    {
        var token = _token;
        Advance();
        var text = token.Text.Replace("_", "", StringComparison.Ordinal);
        var span = sign is { } minus ? SourceSpan.Between(minus.Span, token.Span) : token.Span;
        if (text.StartsWith("0x", StringComparison.OrdinalIgnoreCase))
        {
            if (
                !long.TryParse(
                    text.AsSpan(2),
                    NumberStyles.AllowHexSpecifier,
                    CultureInfo.InvariantCulture,
                    out var hex
                )
            )
            {
                throw Error(token, $"{token.Describe()} has more than 64 bits");
            }

            return new LiteralSyntax(sign is null ? hex : -hex, span);
        }

        if (sign is not null)
            text = "-" + text;
        if (long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var integer))
            return new LiteralSyntax(integer, span);
        var number = double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);
        return double.IsFinite(number)
            ? new LiteralSyntax(number, span)
            : throw Error(token, $"{token.Describe()} is too large for a number");
    }

    private InvalidQueryException NoValue(QueryToken token)
    {
        var before = Before(token);
        var suggestion = before switch
        {
            "select" => "for instance: select Company, Total",
            "where" or "filter" => "for instance: where Total > 100",
            "order by" => "for instance: order by Total as double desc",
            _ when token.IsSymbol("==") || token.IsSymbol("=") => "a field stands before it",
            "=" or "==" or "!=" or "<>" or "<" or "<=" or ">" or ">=" when token.Kind == TokenKind.End =>
                "write a number, a text in quotes, a parameter ($name), true, false or null",
            _ => null,
        };
        return Error(
            token,
            $"a value or field is expected{(before.Length > 0 ? $" after '{before}'" : "")}, not {token.Describe()}",
            suggestion
        );
    }

    /// <summary>The word or sign before a token, for an error's text.</summary>
    private string Before(QueryToken token)
    {
        var before = "";
        var lexer = new Lexer(_text);
        for (var t = lexer.Next(); t.Kind != TokenKind.End && t.Span.Start < token.Span.Start; t = lexer.Next())
        {
            if (t.Span.Start == token.Span.Start)
                break;
            before =
                t.IsWord("by") ? before + " by"
                : t.Kind == TokenKind.String ? ""
                : t.Text;
        }

        return before.Length <= 40 ? before : "";
    }

    private string Place(QueryToken token)
    {
        var error = Error(token, "");
        return string.Create(CultureInfo.InvariantCulture, $"{error.Line}:{error.Column}");
    }
}
