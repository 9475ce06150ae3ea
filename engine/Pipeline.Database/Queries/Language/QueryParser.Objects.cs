using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Language;

public sealed partial class QueryParser
{
    private ArraySyntax Array(QueryToken open)
    {
        Advance();
        var elements = new List<ExpressionSyntax>();
        while (!_token.IsSymbol("]"))
        {
            if (elements.Count > 0)
            {
                Expect(",", "elements are separated by ','; ']' ends them");
                if (_token.IsSymbol("]"))
                    break;
            }

            elements.Add(Expression());
        }

        var array = new ArraySyntax(elements, SourceSpan.Between(open.Span, _token.Span));
        Advance();
        return Bounded(array);
    }

    private ObjectSyntax Object(QueryToken open)
    {
        Advance();
        var properties = new List<ObjectPropertySyntax>();
        while (!_token.IsSymbol("}"))
        {
            if (properties.Count > 0)
            {
                Expect(",", "properties are separated by ','; '}' ends them");
                if (_token.IsSymbol("}"))
                    break;
            }

            properties.Add(Property());
        }

        var made = new ObjectSyntax(properties, SourceSpan.Between(open.Span, _token.Span));
        Advance();
        return Bounded(made);
    }

    private ObjectPropertySyntax Property()
    {
        if (_token.IsSymbol("..."))
        {
            Advance();
            return new ObjectPropertySyntax(null, Expression());
        }

        var key = _token;
        if (key.Kind is not (TokenKind.Identifier or TokenKind.String or TokenKind.Number))
            throw Error(key, $"a property's name is expected, not {key.Describe()}", "write { Name: value }");
        Advance();
        if (_token.IsSymbol(":"))
        {
            Advance();
            return new ObjectPropertySyntax(key.Text, Expression());
        }

        // { Company } is short for { Company: Company }.
        if (
            key.Kind == TokenKind.Identifier
            && (_token.IsSymbol(",") || _token.IsSymbol("}"))
            && !QueryWords.MustQuote(key.Text)
        )
        {
            return new ObjectPropertySyntax(key.Text, new FieldSyntax([new FieldSegment(key.Text, false)], key.Span));
        }

        throw _token.IsSymbol("(")
            ? NotSupported(key, "JavaScript (a method in an object)", "write { Name: value }")
            : Error(_token, $"':' is expected, not {_token.Describe()}", "write { Name: value }");
    }

    private bool IsLambdaHere()
    {
        var position = _lexer.Position;
        var next = _lexer.Next();
        while (next.Kind == TokenKind.Identifier || next.IsSymbol(","))
            next = _lexer.Next();
        var isLambda = next.IsSymbol(")") && _lexer.Next().IsSymbol("=>");
        _lexer.Position = position;
        return isLambda;
    }

    private LambdaSyntax Lambda()
    {
        var start = _token;
        var parameters = new List<string>();
        if (start.IsSymbol("("))
        {
            Advance();
            while (!_token.IsSymbol(")"))
            {
                if (parameters.Count > 0)
                    Expect(",", "parameters are separated by ','");
                parameters.Add(Identifier("a parameter's name"));
            }

            Advance();
        }
        else
        {
            parameters.Add(Identifier("a parameter's name"));
        }

        Expect("=>", "a function is written l => l.Price");
        if (_token.IsSymbol("{"))
        {
            throw NotSupported(
                _token,
                "JavaScript (a function with statements)",
                "write l => value; an object in parentheses: l => ({ Price: l.Price })"
            );
        }

        var body = Expression();
        return Bounded(new LambdaSyntax(parameters, body, SourceSpan.Between(start.Span, body.Span)));
    }
}
