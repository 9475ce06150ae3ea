using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// Reads the syntax of a map or a reduce: the collections it reads, its group key, and constructs that are not allowed
/// there.
/// </summary>
internal sealed class MapSyntax
{
    private static readonly HashSet<string> NotInMaps = new(StringComparer.Ordinal)
    {
        "OrderBy",
        "OrderByDescending",
        "ThenBy",
        "ThenByDescending",
        "Order",
        "OrderDescending",
        "Take",
        "Skip",
        "TakeWhile",
        "SkipWhile",
        "Distinct",
        "GroupBy",
        "Reverse",
    };

    private readonly MappedText _text;
    private readonly List<ScriptError> _errors = [];
    private readonly List<string> _collections = [];
    private bool _all;

    public MapSyntax(MappedText text, bool isReduce, CSharpParseOptions options)
    {
        _text = text;
        var expression = SyntaxFactory.ParseExpression(text.User, 0, options, consumeFullText: true);
        if (string.IsNullOrWhiteSpace(text.User))
        {
            Error(
                default,
                "SCRIPT010",
                isReduce ? "the reduce is empty" : "the map is empty",
                isReduce ? Samples.Reduce : Samples.Map
            );
        }
        else if (expression.GetDiagnostics().Any(d => d.Severity == DiagnosticSeverity.Error))
        {
            Unparsed(expression);
        }
        else if (
            expression.DescendantTrivia(descendIntoTrivia: true).FirstOrDefault(t => t.IsDirective) is
            { RawKind: not 0 } directive
        )
        {
            Error(directive.Span, "SCRIPT002", "preprocessor directives may not be used in an index", null);
        }
        else if (isReduce)
        {
            Reduce(expression);
        }
        else
        {
            Map(expression);
        }
    }

    public IReadOnlyList<ScriptError> Errors => _errors;

    public List<MappedText.Edit> Edits { get; } = [];

    /// <summary>The collections read; <see langword="null"/> for all documents.</summary>
    public IReadOnlyList<string>? Collections => _all ? null : _collections;

    /// <summary>Whether a map may give several entries of a document.</summary>
    public bool FansOut { get; private set; }

    /// <summary>
    /// Members of a reduce's key: their names, their place in the text, and the member of the maps' outputs that each
    /// reads, if known.
    /// </summary>
    public List<(string Name, string? Read, TextSpan Span)> GroupKeys { get; } = [];

    private void Unparsed(ExpressionSyntax expression)
    {
        foreach (var diagnostic in expression.GetDiagnostics().Where(d => d.Severity == DiagnosticSeverity.Error))
        {
            if (diagnostic.Id == "CS1073")
            {
                // The compiler puts that at the beginning of the whole.
                var rest = SyntaxFactory
                    .ParseExpression(
                        _text.User,
                        0,
                        (CSharpParseOptions)expression.SyntaxTree.Options,
                        consumeFullText: false
                    )
                    .FullSpan.Length;
                Error(
                    new TextSpan(rest, Math.Min(1, _text.User.Length - rest)),
                    "CS1073",
                    $"the query ends before '{_text.User[rest]}'",
                    "remove what follows, or join it to the query"
                );
                continue;
            }

            var message = diagnostic.GetMessage(System.Globalization.CultureInfo.InvariantCulture);
            Error(
                diagnostic.Location.SourceSpan,
                diagnostic.Id,
                message,
                diagnostic.Id == "CS0742" ? "end the query with select new { … }" : null
            );
        }
    }

    private void Map(ExpressionSyntax expression)
    {
        var sources = Uses(expression, "docs").ToList();
        foreach (var use in Uses(expression, "results"))
            Error(use.Span, "SCRIPT011", "a map reads docs; results are what a reduce reads", Samples.Map);
        if (sources.Count == 0 && _errors.Count == 0)
            Error(expression.Span, "SCRIPT011", "a map reads documents, and this one does not name docs", Samples.Map);
        foreach (var source in sources)
            Source(source);
        foreach (var second in sources.Skip(1))
        {
            Error(
                second.Span,
                "SCRIPT011",
                "a map reads one source of documents",
                "load the others: LoadDocument(id, \"Collection\"), or write a second map"
            );
        }

        FansOut = expression
            .DescendantNodesAndSelf()
            .Any(n =>
                n is QueryExpressionSyntax { Body.Clauses: var clauses }
                    && clauses.Any(c => c is FromClauseSyntax or JoinClauseSyntax)
                || n
                    is IdentifierNameSyntax
                    {
                        Identifier.Text: "SelectMany" or "Join" or "GroupJoin" or "Concat" or "Union" or "Zip"
                    }
            );
        Chain(expression);
        foreach (
            var clause in expression
                .DescendantNodesAndSelf()
                .Where(n => n is GroupClauseSyntax && Outermost(n, expression))
        )
        {
            Error(
                clause.Span,
                "SCRIPT012",
                "a map does not group: it sees one document at a time",
                "group in the reduce"
            );
        }
    }

    private void Source(IdentifierNameSyntax docs)
    {
        switch (docs.Parent)
        {
            case MemberAccessExpressionSyntax { Parent: InvocationExpressionSyntax call } access
                when access.Expression == docs && call.Expression == access:
                if (access.Name.Identifier.Text != "WhereEntityIs")
                {
                    _all = true;
                    break;
                }

                foreach (var argument in call.ArgumentList.DescendantNodes().OfType<LiteralExpressionSyntax>())
                    _collections.Add(argument.Token.ValueText);
                break;
            case MemberAccessExpressionSyntax access when access.Expression == docs:
                _collections.Add(access.Name.Identifier.ValueText);
                Edits.Add(
                    new MappedText.Edit(
                        _text.UserStart + access.OperatorToken.SpanStart,
                        access.Span.End - access.OperatorToken.SpanStart,
                        $"[{SymbolDisplay.FormatLiteral(access.Name.Identifier.ValueText, quote: true)}]"
                    )
                );
                break;
            case ElementAccessExpressionSyntax access when access.Expression == docs:
                if (
                    access.ArgumentList.Arguments
                    is [
                        {
                            Expression: LiteralExpressionSyntax
                            {
                                RawKind: (int)SyntaxKind.StringLiteralExpression
                            } name
                        },
                    ]
                )
                {
                    _collections.Add(name.Token.ValueText);
                }
                else
                {
                    Error(
                        access.ArgumentList.Span,
                        "SCRIPT011",
                        "the collection is a text that is known before the map runs",
                        "docs[\"My Orders\"]"
                    );
                }

                break;
            default:
                _all = true;
                break;
        }
    }

    /// <summary>Finds clauses that would need all entries at once: a map is run for one document at a time.</summary>
    private void Chain(ExpressionSyntax expression)
    {
        for (var node = expression; node is not null; )
        {
            switch (node)
            {
                case ParenthesizedExpressionSyntax parenthesized:
                    node = parenthesized.Expression;
                    continue;
                case InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax access }:
                    if (NotInMaps.Contains(access.Name.Identifier.Text) && Uses(access.Expression, "docs").Any())
                    {
                        Error(
                            access.Name.Span,
                            "SCRIPT012",
                            $"'{access.Name.Identifier.Text}' has no meaning in a map, which sees one document at a time",
                            "order and page in the query, group in the reduce"
                        );
                    }

                    node = access.Expression;
                    continue;
                case QueryExpressionSyntax query:
                    foreach (var order in query.Body.Clauses.OfType<OrderByClauseSyntax>())
                    {
                        Error(
                            order.OrderByKeyword.Span,
                            "SCRIPT012",
                            "'orderby' has no meaning in a map, which sees one document at a time",
                            "order in the query"
                        );
                    }

                    node = query.FromClause.Expression;
                    continue;
                default:
                    return;
            }
        }
    }

    private void Reduce(ExpressionSyntax expression)
    {
        foreach (var use in Uses(expression, "docs"))
            Error(use.Span, "SCRIPT011", "a reduce reads results; docs are what a map reads", Samples.Reduce);
        var uses = Uses(expression, "results").ToList();
        if (uses.Count == 0 && _errors.Count == 0)
        {
            Error(
                expression.Span,
                "SCRIPT013",
                "a reduce groups the maps' outputs, and this one does not name results",
                Samples.Reduce
            );
        }

        foreach (var second in uses.Skip(1))
            Error(second.Span, "SCRIPT013", "a reduce groups results once", Samples.Reduce);
        if (uses.Count != 1 || _errors.Count > 0)
            return;
        switch (uses[0].Parent)
        {
            case FromClauseSyntax { Parent: QueryExpressionSyntax query }:
                if (query.Body.Clauses.Count > 0)
                {
                    Error(
                        query.Body.Clauses[0].Span,
                        "SCRIPT013",
                        "a reduce groups results before anything else",
                        "do this in the map, or after 'into g'"
                    );
                }
                else if (query.Body.SelectOrGroup is not GroupClauseSyntax group)
                {
                    Error(query.Body.SelectOrGroup.Span, "SCRIPT013", "a reduce groups results", Samples.Reduce);
                }
                else if (query.Body.Continuation is null)
                {
                    Error(
                        group.Span,
                        "SCRIPT013",
                        "a reduce gives an object for each group",
                        "continue with 'into g select new { … }'"
                    );
                }
                else
                {
                    Key(group.ByExpression, query.FromClause.Identifier.Text);
                }

                break;
            case MemberAccessExpressionSyntax
            {
                Name.Identifier.Text: "GroupBy",
                Parent: InvocationExpressionSyntax call
            }:
                if (
                    call.ArgumentList.Arguments
                    is [{ Expression: LambdaExpressionSyntax { ExpressionBody: { } key } lambda }, ..]
                )
                {
                    Key(
                        key,
                        lambda is SimpleLambdaExpressionSyntax simple
                            ? simple.Parameter.Identifier.Text
                            : ((ParenthesizedLambdaExpressionSyntax)lambda)
                                .ParameterList.Parameters.FirstOrDefault()
                                ?.Identifier.Text
                    );
                }

                break;
            default:
                Error(
                    uses[0].Parent!.Span,
                    "SCRIPT013",
                    "a reduce groups results before anything else",
                    Samples.Reduce
                );
                break;
        }
    }

    private void Key(ExpressionSyntax key, string? variable)
    {
        if (key is AnonymousObjectCreationExpressionSyntax composite)
        {
            foreach (var part in composite.Initializers)
            {
                var path = Path(part.Expression, variable);
                var name = part.NameEquals?.Name.Identifier.ValueText ?? path?.Split('.')[^1];
                if (name is not null)
                    GroupKeys.Add((name, path?.Split('.')[0], part.Expression.Span));
            }
        }
        else if (Path(key, variable) is { } path)
        {
            GroupKeys.Add((path, path.Split('.')[0], key.Span));
        }
    }

    /// <summary><c>A.B</c> of <c>r.A.B</c>.</summary>
    private static string? Path(ExpressionSyntax expression, string? variable) =>
        expression switch
        {
            ParenthesizedExpressionSyntax p => Path(p.Expression, variable),
            CastExpressionSyntax c => Path(c.Expression, variable),
            MemberAccessExpressionSyntax { Expression: IdentifierNameSyntax owner } m
                when owner.Identifier.Text == variable => m.Name.Identifier.ValueText,
            MemberAccessExpressionSyntax m when Path(m.Expression, variable) is { } outer =>
                $"{outer}.{m.Name.Identifier.ValueText}",
            _ => null,
        };

    private static IEnumerable<IdentifierNameSyntax> Uses(SyntaxNode root, string name) =>
        root.DescendantNodesAndSelf()
            .OfType<IdentifierNameSyntax>()
            .Where(i =>
                i.Identifier.ValueText == name
                && i.Parent is not NameEqualsSyntax and not NameColonSyntax
                && !(i.Parent is MemberAccessExpressionSyntax m && m.Name == i)
            );

    private static bool Outermost(SyntaxNode node, SyntaxNode root) =>
        !node.Ancestors().TakeWhile(a => a != root).Any(a => a is LambdaExpressionSyntax or SelectClauseSyntax);

    private void Error(TextSpan span, string code, string message, string? suggestion) =>
        _errors.Add(ScriptDiagnostics.AtUser(_text, span, code, message, suggestion));

    private static class Samples
    {
        public const string Map = "write from o in docs.Orders select new { o.Company }";
        public const string Reduce =
            "write from r in results group r by r.Company into g select new { Company = g.Key, Count = g.Sum(x => x.Count) }";
    }
}
