using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;
using Pipeline.Database.Scripts.Runtime;

namespace Pipeline.Database.Scripts.Compilation;

/// <summary>Finds the edits that make loops, lambdas and functions count what they do, so that a run can be stopped.</summary>
internal sealed class GuardInserter(SemanticModel model, TextSpan user)
{
    private const string Step = $"global::Pipeline.Database.Scripts.Runtime.{nameof(ScriptGuard)}.{nameof(ScriptGuard.Step)}();";
    private const string Enter = $"global::Pipeline.Database.Scripts.Runtime.{nameof(ScriptGuard)}.{nameof(ScriptGuard.Enter)}();";
    private readonly List<MappedText.Edit> _edits = [];

    public List<MappedText.Edit> Run(SyntaxNode root)
    {
        foreach (var node in root.DescendantNodes().Where(n => user.Contains(n.Span)))
        {
            switch (node)
            {
                case WhileStatementSyntax loop:
                    Body(loop.Statement);
                    break;
                case DoStatementSyntax loop:
                    Body(loop.Statement);
                    break;
                case ForStatementSyntax loop:
                    Body(loop.Statement);
                    break;
                case CommonForEachStatementSyntax loop:
                    Body(loop.Statement);
                    break;
                case AnonymousFunctionExpressionSyntax { Block: { } block }:
                    Insert(block.OpenBraceToken.Span.End, Enter);
                    break;
                case AnonymousFunctionExpressionSyntax { ExpressionBody: { } body } lambda when body is not ThrowExpressionSyntax:
                    Lambda(lambda, body);
                    break;
                case LocalFunctionStatementSyntax { Body: { } block }:
                    Insert(block.OpenBraceToken.Span.End, Enter);
                    break;
                case LocalFunctionStatementSyntax { ExpressionBody: { } arrow } function:
                    Arrow(arrow, function.SemicolonToken, IsVoid(function.ReturnType));
                    break;
                case BaseMethodDeclarationSyntax { Body: { } block }:
                    Insert(block.OpenBraceToken.Span.End, Enter);
                    break;
                case MethodDeclarationSyntax { ExpressionBody: { } arrow } method:
                    Arrow(arrow, method.SemicolonToken, IsVoid(method.ReturnType));
                    break;
                case AccessorDeclarationSyntax { Body: { } block }:
                    Insert(block.OpenBraceToken.Span.End, Enter);
                    break;
                case AccessorDeclarationSyntax { ExpressionBody: { } arrow } accessor:
                    Arrow(arrow, accessor.SemicolonToken, !accessor.IsKind(SyntaxKind.GetAccessorDeclaration));
                    break;
                case PropertyDeclarationSyntax { ExpressionBody: { } arrow } property:
                    Getter(arrow, property.SemicolonToken);
                    break;
            }
        }

        return _edits;
    }

    private static bool IsVoid(TypeSyntax type) => type is PredefinedTypeSyntax { Keyword.RawKind: (int)SyntaxKind.VoidKeyword };

    private void Body(StatementSyntax body)
    {
        if (body is BlockSyntax block)
        {
            Insert(block.OpenBraceToken.Span.End, Step);
            return;
        }

        Insert(body.SpanStart, "{" + Step);
        Insert(body.Span.End, "}");
    }

    private void Lambda(AnonymousFunctionExpressionSyntax lambda, ExpressionSyntax body)
    {
        if (model.GetTypeInfo(lambda).ConvertedType is not INamedTypeSymbol { DelegateInvokeMethod: { } invoke })
            return;
        Insert(body.SpanStart, "{" + Enter + (invoke.ReturnsVoid ? "" : "return "));
        Insert(body.Span.End, ";}");
    }

    private void Arrow(ArrowExpressionClauseSyntax arrow, SyntaxToken semicolon, bool isVoid)
    {
        if (arrow.Expression is ThrowExpressionSyntax)
            return;
        Replace(arrow.ArrowToken.Span, "{" + Enter + (isVoid ? "" : "return "));
        Replace(semicolon.Span, ";}");
    }

    private void Getter(ArrowExpressionClauseSyntax arrow, SyntaxToken semicolon)
    {
        if (arrow.Expression is ThrowExpressionSyntax)
            return;
        Replace(arrow.ArrowToken.Span, "{get{" + Enter + "return ");
        Replace(semicolon.Span, ";}}");
    }

    private void Insert(int position, string text) => _edits.Add(new MappedText.Edit(position, 0, text));

    private void Replace(TextSpan span, string text) => _edits.Add(new MappedText.Edit(span.Start, span.Length, text));
}
