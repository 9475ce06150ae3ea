using System.Globalization;
using System.Text;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Language;

/// <summary>Writes a tree as canonical text, which reads back as the same tree, positions aside.</summary>
public sealed partial class QueryPrinter
{
    private readonly StringBuilder _out = new();
    private bool _inCondition;

    private QueryPrinter() { }

    /// <summary>Writes a query, in one line but for scripts.</summary>
    /// <param name="query">The query.</param>
    /// <returns>Its canonical text.</returns>
    public static string Print(QuerySyntax query)
    {
        ArgumentNullException.ThrowIfNull(query);
        var printer = new QueryPrinter();
        printer.Query(query);
        return printer._out.ToString();
    }

    /// <summary>Writes a condition or value.</summary>
    /// <param name="expression">The condition or value.</param>
    /// <returns>Its canonical text.</returns>
    public static string Print(ExpressionSyntax expression)
    {
        ArgumentNullException.ThrowIfNull(expression);
        var printer = new QueryPrinter { _inCondition = true };
        printer.Write(expression, Precedence.Lowest);
        return printer._out.ToString();
    }

    private void Query(QuerySyntax query)
    {
        foreach (var function in query.Functions)
        {
            _out.Append(
                CultureInfo.InvariantCulture,
                $"declare function {function.Name}({string.Join(", ", function.Parameters)}) {{{function.Body}}} "
            );
        }

        From(query.From);
        Items(" group by ", query.GroupBy);
        Condition(" where ", query.Where);
        Orders(query.OrderBy);
        Items(" load ", query.Load);
        Condition(" filter ", query.Filter);
        if (query.Update is not null)
            _out.Append(" update {").Append(query.Update.Body).Append('}');
        if (query.Select is { Script: { } script })
            _out.Append(query.Select.IsDistinct ? " select distinct " : " select ").Append(script);
        else if (query.Select is not null)
            Items(query.Select.IsDistinct ? " select distinct " : " select ", query.Select.Items);
        Items(" include ", query.Include.Select(i => new AliasedSyntax(i, null, false)));
        if (query.Limit is not null)
            Clause(" limit ", query.Limit);
        if (query.Offset is not null)
            Clause(" offset ", query.Offset);
        if (query.FilterLimit is not null)
            Clause(" filter_limit ", query.FilterLimit);
    }

    private void From(FromSyntax from)
    {
        _out.Append("from ");
        if (from.Kind == FromKind.Index)
            _out.Append("index ");
        if (from.Kind == FromKind.Index || (from.Kind == FromKind.Collection && QueryWords.MustQuote(from.Name)))
            Quote(from.Name);
        else
            _out.Append(from.Name);
        if (from.Revisions)
            _out.Append(" (Revisions = true)");
        if (from.Alias is not null)
            Alias(from.Alias);
    }

    private void Condition(string name, ExpressionSyntax? condition)
    {
        if (condition is null)
            return;
        _inCondition = true;
        Clause(name, condition);
        _inCondition = false;
    }

    private void Clause(string name, ExpressionSyntax value)
    {
        _out.Append(name);
        Write(value, Precedence.Lowest);
    }

    private void Items(string name, IEnumerable<AliasedSyntax> items)
    {
        var before = name;
        foreach (var item in items)
        {
            _out.Append(before);
            Named(item.Expression, Precedence.Lowest);
            if (item.Alias is not null)
                Alias(item.Alias);
            if (item.IsArrayAlias)
                _out.Append("[]");
            before = ", ";
        }
    }

    private void Orders(IReadOnlyList<OrderSyntax> orders)
    {
        var before = " order by ";
        foreach (var order in orders)
        {
            _out.Append(before);
            Named(order.Expression, Precedence.Lowest);
            if (order.Type != OrderType.Unspecified)
            {
                _out.Append(" as ")
                    .Append(
                        order.Type == OrderType.AlphaNumeric ? "alphaNumeric" : order.Type.ToString().ToLowerInvariant()
                    );
            }

            if (order.IsDescending)
                _out.Append(" desc");
            before = ", ";
        }
    }

    private void Alias(string alias)
    {
        _out.Append(" as ");
        Name(alias);
    }

    private void Name(string name)
    {
        if (Lexer.IsPlainName(name))
            _out.Append(name);
        else
            Quote(name);
    }

    private void Quote(string text)
    {
        _out.Append('\'');
        foreach (var c in text)
        {
            switch (c)
            {
                case '\'' or '\\':
                    _out.Append('\\').Append(c);
                    break;
                case '\n':
                    _out.Append("\\n");
                    break;
                case '\r':
                    _out.Append("\\r");
                    break;
                case '\t':
                    _out.Append("\\t");
                    break;
                default:
                    if (char.IsControl(c))
                        _out.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}");
                    else
                        _out.Append(c);
                    break;
            }
        }

        _out.Append('\'');
    }
}
