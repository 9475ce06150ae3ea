using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Language;

public sealed partial class QueryParser
{
    private void Advance() => _token = _lexer.Next();

    private QueryToken Peek()
    {
        var position = _lexer.Position;
        var next = _lexer.Next();
        _lexer.Position = position;
        return next;
    }

    private void Expect(string symbol, string reason)
    {
        if (!_token.IsSymbol(symbol))
            throw Error(_token, $"'{symbol}' is expected, not {_token.Describe()}", reason);
        Advance();
    }

    private string Name(string what)
    {
        if (_token.Kind is not (TokenKind.Identifier or TokenKind.String) || _token.Text.Length == 0)
        {
            throw Error(_token, $"{what} is expected, not {_token.Describe()}");
        }

        var name = _token.Text;
        Advance();
        return name;
    }

    private string Identifier(string what) =>
        _token.Kind == TokenKind.Identifier
            ? Name(what)
            : throw Error(_token, $"{what} is expected, not {_token.Describe()}");

    private bool AtLoneSemicolon() => _token.IsSymbol(";") && Peek().Kind == TokenKind.End;

    private string? ClauseHere()
    {
        if (_token.Kind != TokenKind.Identifier)
            return null;
        return
            ClauseAt(_token) is { } clause && (!clause.EndsWith(" by", StringComparison.Ordinal) || Peek().IsWord("by"))
            ? clause
            : null;
    }

    private static string? ClauseAt(QueryToken token) =>
        token.Kind == TokenKind.Identifier
            ? System.Array.Find(QueryWords.Clauses, c => token.IsWord(c.Split(' ')[0]))
            : null;

    private InvalidQueryException NoFrom()
    {
        if (_token.Kind == TokenKind.End)
            return Error(_token, "the query is empty", "for instance: from Orders where Total > 100");
        var suggestion =
            _token.IsWord("select") ? "'select' stands at the end: from Orders select Company"
            : _token.IsWord("update") ? "write from Orders update { … }"
            : _token.IsWord("delete") || _token.IsWord("insert")
                ? "RQL only reads and patches; use the API to store and delete documents"
            : QueryWords.Suggest(_token.Text, "from", "declare");
        return Error(_token, $"a query begins with 'from', not {_token.Describe()}", suggestion);
    }

    /// <summary>The error for a token that neither continues the previous clause nor begins a new one.</summary>
    private InvalidQueryException AfterClause(bool hasCondition)
    {
        if (
            _bareAlias is { } alias
            && !hasCondition
            && Spelling.Nearest(alias.Text, [.. QueryWords.Clauses, "order", "group", "as"]) is { } near
        )
        {
            return Error(alias, $"{alias.Describe()} is not expected here", $"did you mean '{near}'?");
        }

        string[] words = hasCondition
            ?
            [
                "and",
                "or",
                "between",
                "in",
                "all in",
                "as",
                "desc",
                "asc",
                "not",
                "order",
                "group",
                .. QueryWords.Clauses,
            ]
            : ["as", "order", "group", .. QueryWords.Clauses];
        var suggestion = _token.Kind == TokenKind.Identifier ? QueryWords.Suggest(_token.Text, words) : null;
        if (_token.IsSymbol(")") || _token.IsSymbol("]") || _token.IsSymbol("}"))
            suggestion = "it closes nothing: remove it";
        if (_token.Kind == TokenKind.String)
            suggestion = "an operator is missing before it";
        return Error(
            _token,
            $"{_token.Describe()} is not expected here",
            suggestion
                ?? (
                    hasCondition
                        ? "expected an operator, 'and', 'or', or a clause such as 'order by', 'select', 'limit'"
                        : "expected 'as', 'where', 'order by', 'select', 'include' or 'limit'"
                )
        );
    }

    private InvalidQueryException NotSupported(QueryToken token, string feature, string? suggestion) =>
        new(QueryErrorKind.NotSupported, _text, token.Span, $"{feature} is not supported", suggestion);

    private InvalidQueryException Error(QueryToken token, string reason, string? suggestion = null) =>
        new(QueryErrorKind.Syntax, _text, token.Span, reason, suggestion);

    private T Bounded<T>(T node)
        where T : ExpressionSyntax => node.Height <= QueryTextLimits.MaxDepth ? node : throw TooDeep(node.Span);

    private InvalidQueryException TooDeep(SourceSpan span) =>
        new(
            QueryErrorKind.Limit,
            _text,
            span,
            $"expressions stand within one another more than {nameof(QueryTextLimits.MaxDepth)}, {QueryTextLimits.MaxDepth}, deep"
        );

    private void CheckAliases(QuerySyntax query)
    {
        var names = new HashSet<string>(StringComparer.Ordinal);
        if (query.From.Alias is { } alias)
            names.Add(alias);
        foreach (var load in query.Load)
        {
            if (names.Add(load.Alias!))
                continue;
            throw new InvalidQueryException(
                QueryErrorKind.Meaning,
                _text,
                load.Expression.Span,
                $"the name '{load.Alias}' is given twice",
                "give the loaded document another name"
            );
        }
    }
}
