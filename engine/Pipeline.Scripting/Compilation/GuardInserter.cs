using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// Finds the edits that make loops, lambdas and functions count their steps, so that a run can be stopped.
/// </summary>
internal sealed class GuardInserter(SemanticModel model, TextSpan user)
{
    private const string Step =
        $"global::Pipeline.Scripting.Runtime.{nameof(ScriptGuard)}.{nameof(ScriptGuard.Step)}();";
    private const string Call =
        $"global::Pipeline.Scripting.Runtime.{nameof(ScriptGuard)}.{nameof(ScriptGuard.Call)}();";
    private const string Enter =
        $"global::Pipeline.Scripting.Runtime.{nameof(ScriptGuard)}.{nameof(ScriptGuard.Enter)}();";
    private const string Leave =
        $"global::Pipeline.Scripting.Runtime.{nameof(ScriptGuard)}.{nameof(ScriptGuard.Leave)}();";
    private const string Sizes = $"global::Pipeline.Scripting.Runtime.{nameof(ScriptSizes)}";
    private const string NoInlining =
        "[global::System.Runtime.CompilerServices.MethodImpl(global::System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]";

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
                    Block(block, counted: !IsArgument(node));
                    break;
                case AnonymousFunctionExpressionSyntax { ExpressionBody: { } body } lambda
                    when body is not ThrowExpressionSyntax:
                    Lambda(lambda, body);
                    break;
                case LocalFunctionStatementSyntax { Body: { } block }:
                    Separate(node);
                    Block(block, counted: true);
                    break;
                case LocalFunctionStatementSyntax { ExpressionBody: { } arrow } function:
                    Separate(node);
                    Arrow(arrow, function.SemicolonToken, IsVoid(function.ReturnType));
                    break;
                case BaseMethodDeclarationSyntax { Body: { } block }:
                    Separate(node);
                    Block(block, counted: true);
                    break;
                case MethodDeclarationSyntax { ExpressionBody: { } arrow } method:
                    Separate(node);
                    Arrow(arrow, method.SemicolonToken, IsVoid(method.ReturnType));
                    break;
                case OperatorDeclarationSyntax { ExpressionBody: { } arrow } method:
                    Separate(node);
                    Arrow(arrow, method.SemicolonToken, isVoid: false);
                    break;
                case ConversionOperatorDeclarationSyntax { ExpressionBody: { } arrow } method:
                    Separate(node);
                    Arrow(arrow, method.SemicolonToken, isVoid: false);
                    break;
                case ConstructorDeclarationSyntax { ExpressionBody: { } arrow } method:
                    Separate(node);
                    Arrow(arrow, method.SemicolonToken, isVoid: true);
                    break;
                case IndexerDeclarationSyntax { ExpressionBody: { } arrow } indexer:
                    Getter(arrow, indexer.SemicolonToken);
                    break;
                case GotoStatementSyntax jump:
                    Jump(jump);
                    break;
                case AccessorDeclarationSyntax { Body: { } block }:
                    Block(block, counted: true);
                    break;
                case AccessorDeclarationSyntax { ExpressionBody: { } arrow } accessor:
                    Arrow(arrow, accessor.SemicolonToken, !accessor.IsKind(SyntaxKind.GetAccessorDeclaration));
                    break;
                case PropertyDeclarationSyntax { ExpressionBody: { } arrow } property:
                    Getter(arrow, property.SemicolonToken);
                    break;
            }
        }

        // Where several end at one place, the inner ones end first, and a replaced token comes after them.
        return
        [
            .. _edits
                .Select((edit, index) => (Edit: edit, Index: index, IsEnd: edit.Text[0] is ';' or '}'))
                .OrderBy(e => e.Edit.Start)
                .ThenBy(e => e.Edit.Length)
                .ThenBy(e => !e.IsEnd)
                .ThenBy(e => e.IsEnd ? -e.Index : e.Index)
                .Select(e => e.Edit),
        ];
    }

    private static bool IsVoid(TypeSyntax type) =>
        type is PredefinedTypeSyntax { Keyword.RawKind: (int)SyntaxKind.VoidKeyword };

    private void Body(StatementSyntax body)
    {
        if (IsCounted(body))
            return;
        if (body is BlockSyntax block)
        {
            Insert(block.OpenBraceToken.Span.End, Step);
            return;
        }

        Insert(body.SpanStart, "{" + Step);
        Insert(body.Span.End, "}");
    }

    /// <summary>
    /// Whether each pass through a loop's body begins with a measured addition to a text, which is a step by itself.
    /// </summary>
    private static bool IsCounted(StatementSyntax body) =>
        (body is BlockSyntax { Statements: [var first, ..] } ? first : body)
            is ExpressionStatementSyntax
            {
                Expression: AssignmentExpressionSyntax
                {
                    RawKind: (int)SyntaxKind.AddAssignmentExpression,
                    Left: IdentifierNameSyntax,
                    Right: InvocationExpressionSyntax
                    {
                        Expression: MemberAccessExpressionSyntax
                        {
                            Name.Identifier.Text: nameof(ScriptSizes.Text),
                            Expression: MemberAccessExpressionSyntax type
                        }
                    }
                }
            }
        && type.ToString() == Sizes;

    /// <summary>A jump to another case is a loop.</summary>
    private void Jump(GotoStatementSyntax jump)
    {
        var isAlone = jump.Parent is not (BlockSyntax or SwitchSectionSyntax);
        Insert(jump.SpanStart, (isAlone ? "{" : "") + Step);
        if (isAlone)
            Insert(jump.Span.End, "}");
    }

    /// <summary>
    /// A lambda passed as an argument may call itself through its receiver. Each call checks the stack; calls are not
    /// counted.
    /// </summary>
    private static bool IsArgument(SyntaxNode lambda) => lambda.Parent is ArgumentSyntax;

    /// <summary>Keeps the function from being inlined, so that an error in it is located there.</summary>
    private void Separate(SyntaxNode function) => Insert(function.SpanStart, NoInlining);

    private void Block(BlockSyntax block, bool counted)
    {
        // An iterator's body runs in steps, and may never be left.
        if (
            !counted
            || block
                .DescendantNodes(n => n is not AnonymousFunctionExpressionSyntax and not LocalFunctionStatementSyntax)
                .Any(n => n is YieldStatementSyntax)
        )
        {
            Insert(block.OpenBraceToken.Span.End, Call);
            return;
        }

        Insert(block.OpenBraceToken.Span.End, Enter + "try{");
        Insert(block.CloseBraceToken.SpanStart, "}finally{" + Leave + "}");
    }

    private void Lambda(AnonymousFunctionExpressionSyntax lambda, ExpressionSyntax body)
    {
        if (model.GetTypeInfo(lambda).ConvertedType is not INamedTypeSymbol { DelegateInvokeMethod: { } invoke })
            return;
        var keyword = invoke.ReturnsVoid ? "" : "return ";
        var counted = !IsArgument(lambda);
        Insert(body.SpanStart, "{" + (counted ? Enter + "try{" : Call) + keyword);
        Insert(body.Span.End, counted ? ";}finally{" + Leave + "}}" : ";}");
    }

    private void Arrow(ArrowExpressionClauseSyntax arrow, SyntaxToken semicolon, bool isVoid)
    {
        if (arrow.Expression is ThrowExpressionSyntax)
            return;
        Replace(arrow.ArrowToken.Span, "{" + Enter + "try{" + (isVoid ? "" : "return "));
        Replace(semicolon.Span, ";}finally{" + Leave + "}}");
    }

    private void Getter(ArrowExpressionClauseSyntax arrow, SyntaxToken semicolon)
    {
        if (arrow.Expression is ThrowExpressionSyntax)
            return;
        Replace(arrow.ArrowToken.Span, "{get{" + Enter + "try{return ");
        Replace(semicolon.Span, ";}finally{" + Leave + "}}}");
    }

    private void Insert(int position, string text) => _edits.Add(new MappedText.Edit(position, 0, text));

    private void Replace(TextSpan span, string text) => _edits.Add(new MappedText.Edit(span.Start, span.Length, text));
}
