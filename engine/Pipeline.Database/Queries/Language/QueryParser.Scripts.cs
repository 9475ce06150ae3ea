using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Language;

public sealed partial class QueryParser
{
    private void Function()
    {
        var start = _token;
        Advance();
        if (_token.IsWord("timeseries"))
            throw NotSupported(_token, "time series", TimeSeriesSuggestion);
        if (!_token.IsWord("function"))
        {
            throw Error(
                _token,
                $"'function' is expected after 'declare', not {_token.Describe()}",
                QueryWords.Suggest(_token.Text, "function")
            );
        }

        Advance();
        var at = _token;
        var name = Identifier("a function's name");
        if (KnownFunctions.TryGet(name, out _, out _, out _))
            throw Error(at, $"'{name}' is a function of the query language", "give yours another name");
        if (_functions.Any(f => f.Name == name))
            throw Error(at, $"there is a function '{name}' already");
        Expect("(", "the parameters of a function stand in parentheses");
        var parameters = new List<string>();
        while (!_token.IsSymbol(")"))
        {
            if (parameters.Count > 0)
                Expect(",", "parameters are separated by ','");
            parameters.Add(Identifier("a parameter's name"));
        }

        Advance();
        var body = Braces("the body of the function");
        _functions.Add(
            new FunctionSyntax(
                name,
                parameters,
                body,
                new SourceSpan(start.Span.Start, _lexer.Position - start.Span.Start)
            )
        );
        Advance();
    }

    private UpdateSyntax Update(QueryToken start)
    {
        var body = Braces("the script of 'update'");
        var update = new UpdateSyntax(body, new SourceSpan(start.Span.Start, _lexer.Position - start.Span.Start));
        Advance();
        return update;
    }

    /// <summary>The text of an object that the query language cannot read; parsing continues behind it.</summary>
    private SelectSyntax Script(
        QueryToken start,
        QueryToken open,
        bool distinct,
        int depth,
        InvalidQueryException refusal
    )
    {
        _lexer.Position = open.Span.Start;
        try
        {
            _lexer.Braces();
        }
        catch (InvalidQueryException)
        {
            throw refusal;
        }

        var span = new SourceSpan(start.Span.Start, _lexer.Position - start.Span.Start);
        var script = _text[open.Span.Start.._lexer.Position];
        _depth = depth;
        Advance();
        return new SelectSyntax(distinct, [], span) { Script = script, Refusal = refusal };
    }

    private string Braces(string what)
    {
        if (!_token.IsSymbol("{"))
            throw Error(_token, $"{what} stands in braces, not {_token.Describe()}", "write { … }");
        _lexer.Position = _token.Span.Start;
        return _lexer.Braces();
    }
}
