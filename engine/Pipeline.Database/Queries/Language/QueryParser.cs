using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Language;

/// <summary>Reads RQL, the query language, into a tree, by recursive descent.</summary>
/// <remarks>
/// Keywords and names of functions are read in any case. Time grows with the text's length and depth is bounded
/// (<see cref="QueryTextLimits"/>), so any text is read or refused soon and without overflowing the stack.
/// </remarks>
public sealed partial class QueryParser
{
    private readonly string _text;
    private readonly Lexer _lexer;
    private readonly List<FunctionSyntax> _functions = [];
    private QueryToken _token;
    private QueryToken? _bareAlias;
    private int _depth;
    private bool _inCondition;

    private QueryParser(string text)
    {
        _text = text;
        _lexer = new Lexer(text);
    }

    /// <summary>Reads a query.</summary>
    /// <param name="text">The query's text.</param>
    /// <returns>The tree.</returns>
    /// <exception cref="InvalidQueryException">The text is not a query, or is over a limit.</exception>
    public static QuerySyntax Parse(string text)
    {
        var query = ParseScripted(text);
        return query.Select?.Refusal is { } refusal ? throw refusal : query;
    }

    /// <summary>As <see cref="Parse"/>, for a caller that can run <see cref="SelectSyntax.Script"/>.</summary>
    internal static QuerySyntax ParseScripted(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var parser = Start(text);
        return parser.Query();
    }

    /// <summary>Reads a condition as it stands behind <c>where</c>.</summary>
    /// <param name="text">The condition's text.</param>
    /// <returns>The tree.</returns>
    /// <exception cref="InvalidQueryException">The text is not a condition, or is over a limit.</exception>
    public static ExpressionSyntax ParseCondition(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var parser = Start(text);
        var condition = parser.Condition();
        return parser._token.Kind == TokenKind.End ? condition : throw parser.AfterClause(hasCondition: true);
    }

    private static QueryParser Start(string text)
    {
        if (text.Length > QueryTextLimits.MaxLength)
        {
            throw new InvalidQueryException(
                QueryErrorKind.Limit,
                text,
                new SourceSpan(QueryTextLimits.MaxLength, 0),
                $"the query has {text.Length} characters, more than {nameof(QueryTextLimits.MaxLength)}, {QueryTextLimits.MaxLength}",
                "hand long lists over as parameters"
            );
        }

        var parser = new QueryParser(text);
        parser._token = parser._lexer.Next();
        return parser;
    }

    private QuerySyntax Query()
    {
        while (_token.IsWord("declare"))
            Function();
        if (_token.IsWord("with") || _token.IsWord("match"))
            throw NotSupported(_token, "a graph query ('with', 'match')", "use 'load' and 'include'");
        if (!_token.IsWord("from"))
            throw NoFrom();
        var query = new QuerySyntax(_text, From()) { Functions = [.. _functions] };
        for (var rank = 0; _token.Kind != TokenKind.End && !AtLoneSemicolon(); query = Clause(query, ref rank)) { }

        CheckAliases(query);
        return query;
    }

    private QuerySyntax Clause(QuerySyntax query, ref int rank)
    {
        var start = _token;
        var clause = ClauseHere();
        if (clause is null)
            throw AfterClause(hasCondition: rank > 0);
        CheckOrder(query, clause, ref rank);
        Advance();
        if (clause is "order by" or "group by")
            Advance();
        return clause switch
        {
            "group by" => query with { GroupBy = Items(clause) },
            "where" => query with { Where = Condition() },
            "order by" => query with { OrderBy = Orders() },
            "load" => query with { Load = Items(clause) },
            "filter" => query with { Filter = Condition() },
            "update" => query with { Update = Update(start) },
            "select" => query with { Select = Select(start, query.From.Alias is not null) },
            "include" => query with { Include = [.. Items(clause).Select(i => i.Expression)] },
            "limit" => Limit(query, start),
            "offset" => query.Offset is null
                ? query with
                {
                    Offset = Count(clause),
                }
                : throw Error(start, "the offset is given already"),
            _ => query.FilterLimit is null
                ? query with
                {
                    FilterLimit = Count(clause),
                }
                : throw Error(start, "there is a clause 'filter_limit' already"),
        };
    }

    private void CheckOrder(QuerySyntax query, string clause, ref int rank)
    {
        var own = clause == "filter" ? Math.Max(rank, Rank("where")) : Rank(clause);
        var repeated = clause == "filter" ? query.Filter is not null : own == rank && own < Rank("limit");
        if (repeated)
        {
            throw query.Update is not null || (clause == "update" && query.Select is not null)
                ? Error(_token, "'select' and 'update' exclude one another")
                : Error(
                    _token,
                    $"there is a clause '{clause}' already",
                    clause is "where" or "filter" ? "join conditions with 'and'" : null
                );
        }

        if (own < rank || (clause == "filter" && rank >= Rank("select")))
        {
            throw Error(
                _token,
                $"'{clause}' comes too late",
                $"the order is: from, {string.Join(", ", QueryWords.Clauses)}"
            );
        }

        // After a filter the clause before it may not come again, nor those before that.
        rank = own;
    }

    // The clauses of one rank exclude one another, but for paging, whose parts may stand in any order.
    private static int Rank(string clause) =>
        clause switch
        {
            "group by" => 1,
            "where" => 2,
            "order by" => 3,
            "load" => 4,
            "update" or "select" => 5,
            "include" => 6,
            _ => 7,
        };

    private FromSyntax From()
    {
        var from = _token;
        Advance();
        QueryToken first = _token,
            next = Peek();
        var isIndex =
            first.IsWord("index")
            && (
                next.Kind == TokenKind.String
                || (next.Kind == TokenKind.Identifier && !next.IsWord("as") && ClauseAt(next) is null)
            );
        if (isIndex)
            Advance();
        if (
            _token.Kind is not (TokenKind.Identifier or TokenKind.String)
            || (ClauseHere() is not null && _token.Kind == TokenKind.Identifier)
        )
        {
            throw Error(
                _token,
                $"a collection or 'index' is expected after 'from', not {_token.Describe()}",
                "for instance: from Orders, from index 'Orders/ByTotal', from @all_docs"
            );
        }

        var name = _token;
        if (name.Text.Length == 0)
            throw Error(name, "the name is empty", "for instance: from Orders");
        Advance();
        if (name.Kind == TokenKind.Identifier && (_token.IsSymbol("/") || _token.IsSymbol(".") || _token.IsSymbol("-")))
        {
            throw Error(
                _token,
                $"{_token.Describe()} cannot stand in a name without quotes",
                $"put the whole name in quotes, as in '{name.Text}{_token.Text}…'"
            );
        }

        var kind =
            isIndex ? FromKind.Index
            : name.Text.Equals("@all_docs", StringComparison.OrdinalIgnoreCase) ? FromKind.AllDocuments
            : FromKind.Collection;
        var revisions = !isIndex && _token.IsSymbol("(") && Peek().IsWord("Revisions") && Revisions();
        string? alias = null;
        if (_token.IsWord("as"))
        {
            Advance();
            alias = Name("an alias");
        }
        else if (_token.Kind == TokenKind.Identifier && ClauseHere() is null)
        {
            _bareAlias = _token;
            alias = _token.Text;
            Advance();
        }

        return new FromSyntax(
            kind,
            kind == FromKind.AllDocuments ? "@all_docs" : name.Text,
            alias,
            SourceSpan.Between(from.Span, name.Span)
        )
        {
            Revisions = revisions,
        };
    }

    private bool Revisions()
    {
        const string form = "for instance: from Orders (Revisions = true)";
        Advance();
        Advance();
        Expect("=", form);
        if (!_token.IsWord("true") && !_token.IsWord("false"))
            throw Error(_token, $"'true' or 'false' is expected, not {_token.Describe()}", form);
        var value = _token.IsWord("true");
        Advance();
        Expect(")", form);
        return value;
    }

    private ExpressionSyntax Condition()
    {
        _inCondition = true;
        var condition = Expression();
        _inCondition = false;
        return condition;
    }

    private List<AliasedSyntax> Items(string clause)
    {
        var items = new List<AliasedSyntax>();
        do
        {
            if (items.Count > 0)
                Advance();
            if (_token.IsSymbol("*") && clause == "select")
            {
                throw Error(
                    _token,
                    "'*' is not a field",
                    "leave 'select' out: without it whole documents are returned"
                );
            }

            var value = clause == "select" ? Selected(Expression()) : AsField(Expression());
            string? alias = null;
            var isArray = false;
            if (_token.IsWord("as") && clause != "include")
            {
                Advance();
                alias = Name("a name");
                if (_token.IsSymbol("["))
                {
                    Advance();
                    Expect("]", "'[]' follows a name that stands for many");
                    isArray = true;
                }
            }
            else if (clause == "load")
            {
                throw Error(
                    _token,
                    $"'as' and a name are expected, not {_token.Describe()}",
                    "for instance: load o.Company as c"
                );
            }

            items.Add(new AliasedSyntax(value, alias, isArray));
        } while (_token.IsSymbol(","));
        return items;
    }

    private SelectSyntax Select(QueryToken start, bool hasAlias)
    {
        var distinct =
            _token.IsWord("distinct") && !Peek().IsSymbol(",") && !Peek().IsSymbol(".") && Peek().Kind != TokenKind.End;
        if (distinct)
            Advance();
        var first = _token;
        var depth = _depth;
        List<AliasedSyntax> items;
        try
        {
            items = Items("select");
        }
        catch (InvalidQueryException refusal)
            when (first.IsSymbol("{")
                && hasAlias
                && refusal.Kind is QueryErrorKind.Syntax or QueryErrorKind.NotSupported
            )
        {
            return Script(start, first, distinct, depth, refusal);
        }

        return new SelectSyntax(distinct, items, SourceSpan.Between(start.Span, items[^1].Expression.Span));
    }

    private List<OrderSyntax> Orders()
    {
        var orders = new List<OrderSyntax>();
        do
        {
            if (orders.Count > 0)
                Advance();
            var value = AsField(Expression());
            var type = OrderType.Unspecified;
            if (_token.IsWord("as"))
            {
                Advance();
                if (
                    _token.Kind != TokenKind.Identifier
                    || !Enum.TryParse(_token.Text, ignoreCase: true, out type)
                    || type == OrderType.Unspecified
                )
                {
                    throw Error(
                        _token,
                        $"{_token.Describe()} is not a sort type",
                        Spelling.Suggest(_token.Text, ["string", "long", "double", "alphaNumeric"])
                    );
                }

                Advance();
            }

            var descending = _token.IsWord("desc") || _token.IsWord("descending");
            if (descending || _token.IsWord("asc") || _token.IsWord("ascending"))
                Advance();
            orders.Add(new OrderSyntax(value, type, descending));
        } while (_token.IsSymbol(","));
        return orders;
    }

    private QuerySyntax Limit(QuerySyntax query, QueryToken start)
    {
        if (query.Limit is not null)
            throw Error(start, "there is a clause 'limit' already");
        var first = Count("limit");
        if (!_token.IsSymbol(","))
            return query with { Limit = first };
        if (query.Offset is not null)
        {
            throw Error(
                _token,
                "the offset is given already",
                "write either 'limit skip, take' or 'offset skip limit take'"
            );
        }

        Advance();
        return query with { Offset = first, Limit = Count("limit") };
    }

    private ExpressionSyntax Count(string clause)
    {
        var at = _token;
        var value = at.Kind is TokenKind.Number or TokenKind.Parameter
            ? Primary()
            : throw Error(
                at,
                $"a number or parameter is expected after '{clause}', not {at.Describe()}",
                $"for instance: {clause} 10"
            );
        return value is LiteralSyntax { Value: not long }
            ? throw Error(at, $"'{clause}' takes a whole number, not {at.Text}")
            : value;
    }
}
