using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// Holds a script to the list of <see cref="AllowedMembers"/>, looked up through the semantic model for every name,
/// call and operator, so that aliases, inference and extension methods do not get around it. A fence against accidents
/// and easy harm, not a sandbox for code of enemies.
/// </summary>
internal sealed class AllowedApi(
    SemanticModel model,
    TextSpan user,
    List<(TextSpan Span, string Code, string Message, string? Suggestion)> errors
)
{
    // Only one constant of this type is allowed. The error for any other member names the type.
    private const string OnlyNewLine = "System.Environment";

    public void Check(SyntaxNode root)
    {
        foreach (var node in root.DescendantNodes().Where(n => user.Contains(n.Span)))
        {
            switch (node)
            {
                case UnsafeStatementSyntax
                or FixedStatementSyntax
                or PointerTypeSyntax
                or FunctionPointerTypeSyntax
                or StackAllocArrayCreationExpressionSyntax
                or ImplicitStackAllocArrayCreationExpressionSyntax:
                    Refuse(node, "unsafe code may not be used in a script");
                    break;
                case LockStatementSyntax:
                    Refuse(node, "'lock' may not be used in a script: a run has one thread");
                    break;
                case AwaitExpressionSyntax:
                    Refuse(node, "'await' may not be used in a script: a run is synchronous");
                    break;
                case GotoStatementSyntax { RawKind: (int)SyntaxKind.GotoStatement }:
                    Refuse(node, "'goto' may not be used in a script");
                    break;
                case AttributeListSyntax:
                    Refuse(node, "attributes may not be used in a script");
                    break;
                case TypeOfExpressionSyntax:
                    Refuse(node, "'typeof' may not be used in a script");
                    break;
                case DestructorDeclarationSyntax:
                    Refuse(node, "a finalizer may not be used in a script");
                    break;
                case RefTypeExpressionSyntax or RefValueExpressionSyntax or MakeRefExpressionSyntax:
                    Refuse(node, "typed references may not be used in a script");
                    break;
                case FieldDeclarationSyntax field
                    when !field.Modifiers.Any(SyntaxKind.ConstKeyword)
                        && !(
                            field.Modifiers.Any(SyntaxKind.StaticKeyword)
                            && field.Modifiers.Any(SyntaxKind.ReadOnlyKeyword)
                        )
                        && field.Parent is ClassDeclarationSyntax { Parent: not TypeDeclarationSyntax }:
                    errors.Add(
                        (
                            field.Span,
                            "SCRIPT004",
                            "a helper's field must be 'const' or 'static readonly': runs share nothing",
                            null
                        )
                    );
                    break;
                case SimpleNameSyntax name when name is not IdentifierNameSyntax { IsVar: true }:
                    Symbol(name, model.GetSymbolInfo(name).Symbol);
                    break;
                case ImplicitObjectCreationExpressionSyntax creation:
                    Symbol(creation, model.GetSymbolInfo(creation).Symbol);
                    break;
                case ObjectCreationExpressionSyntax creation
                    when model.GetTypeInfo(creation).Type is INamedTypeSymbol { TypeKind: not TypeKind.Delegate } made
                        && IsAllowed(made):
                    Symbol(creation.Type, model.GetSymbolInfo(creation).Symbol);
                    break;
                case ElementAccessExpressionSyntax
                or ElementBindingExpressionSyntax
                or ConstructorInitializerSyntax
                or PrimaryConstructorBaseTypeSyntax:
                    Symbol(node, model.GetSymbolInfo(node).Symbol);
                    break;
                case BinaryExpressionSyntax
                or PrefixUnaryExpressionSyntax
                or PostfixUnaryExpressionSyntax
                or AssignmentExpressionSyntax
                or CastExpressionSyntax:
                    if (
                        model.GetSymbolInfo(node).Symbol is IMethodSymbol
                        {
                            MethodKind: MethodKind.UserDefinedOperator or MethodKind.Conversion
                        } method
                    )
                    {
                        Symbol(node, method);
                    }

                    break;
                case CommonForEachStatementSyntax loop
                    when model.GetForEachStatementInfo(loop) is { GetEnumeratorMethod: { } enumerator }
                        && enumerator.ContainingType.TypeKind != TypeKind.Interface:
                    Symbol(loop.Expression, enumerator);
                    break;
            }
        }
    }

    private void Refuse(SyntaxNode node, string message) => errors.Add((node.Span, "SCRIPT002", message, null));

    private void Symbol(SyntaxNode node, ISymbol? symbol)
    {
        switch (symbol)
        {
            case IMethodSymbol { MethodKind: not MethodKind.LocalFunction and not MethodKind.AnonymousFunction }
            or IPropertySymbol
            or IFieldSymbol
            or IEventSymbol:
                var owner = (symbol as IMethodSymbol)?.ReducedFrom?.ContainingType ?? symbol.ContainingType;
                if (!IsMemberAllowed(owner, symbol, node))
                {
                    Add(
                        node,
                        IsAllowed(owner) || symbol is IMethodSymbol { MethodKind: MethodKind.Constructor }
                            ? symbol
                            : owner
                    );
                }

                break;
            case INamedTypeSymbol type when !IsAllowed(type) && !IsPrefixOfAllowed(node):
                Add(node, type);
                break;
        }
    }

    private bool IsMemberAllowed(INamedTypeSymbol owner, ISymbol symbol, SyntaxNode node)
    {
        if (
            owner.IsAnonymousType
            || owner.IsTupleType
            || owner.TypeKind is TypeKind.Error or TypeKind.Dynamic
            || IsOwn(owner)
        )
        {
            return true;
        }

        if (symbol is not IPropertySymbol property)
            return AllowedMembers.Contains(symbol);
        return AllowedMembers.Contains(property)
            && (!IsWritten(node) || AllowedMembers.Contains(property, isWritten: true));
    }

    private static bool IsWritten(SyntaxNode node)
    {
        var access =
            node.Parent is MemberAccessExpressionSyntax member && member.Name == node
            || node.Parent is MemberBindingExpressionSyntax
                ? node.Parent
                : node;
        return access.Parent switch
        {
            AssignmentExpressionSyntax assignment => assignment.Left == access,
            PrefixUnaryExpressionSyntax
            {
                RawKind: (int)SyntaxKind.PreIncrementExpression or (int)SyntaxKind.PreDecrementExpression
            } => true,
            PostfixUnaryExpressionSyntax
            {
                RawKind: (int)SyntaxKind.PostIncrementExpression or (int)SyntaxKind.PostDecrementExpression
            } => true,
            _ => false,
        };
    }

    /// <summary><c>Environment</c> in <c>Environment.NewLine</c> is judged with its member.</summary>
    private static bool IsPrefixOfAllowed(SyntaxNode node) =>
        node.Parent is MemberAccessExpressionSyntax { Name.Identifier.Text: "NewLine" } access
            && access.Expression == node
        || node.Parent
            is MemberAccessExpressionSyntax
            {
                Parent: MemberAccessExpressionSyntax { Name.Identifier.Text: "NewLine" } outer
            } inner
            && outer.Expression == inner
            && inner.Name == node;

    private void Add(SyntaxNode node, ISymbol symbol)
    {
        var shown =
            symbol is INamedTypeSymbol type ? Name(type)
            : symbol is IMethodSymbol { MethodKind: MethodKind.Constructor } ? Name(symbol.ContainingType)
            : $"{Name(symbol.ContainingType)}.{symbol.Name}";
        if (
            errors.Exists(e => e.Code == "SCRIPT002" && e.Span.OverlapsWith(node.Span))
            || errors.Exists(e =>
                e.Message.StartsWith($"'{shown}'", StringComparison.Ordinal) && SameLine(e.Span, node.Span)
            )
        )
        {
            return;
        }

        errors.Add((node.Span, "SCRIPT002", $"'{shown}' may not be used in a script", Suggest(shown)));
    }

    private bool SameLine(TextSpan a, TextSpan b)
    {
        var lines = model.SyntaxTree.GetText().Lines;
        return lines.GetLineFromPosition(a.Start).LineNumber == lines.GetLineFromPosition(b.Start).LineNumber;
    }

    private static string? Suggest(string name) =>
        name switch
        {
            "System.Console" => "to inspect a value, send it",
            "System.Random" => "a transform must give the same messages every time: derive the value from the document",
            _ when name.StartsWith("System.Text.Json", StringComparison.Ordinal) =>
                "send the value itself, it is written as JSON",
            _ when name.StartsWith("System.Threading", StringComparison.Ordinal) => "a run has one thread",
            _ => null,
        };

    private static string Name(INamedTypeSymbol type)
    {
        var outer = type.ContainingType;
        if (outer is not null)
            return Name(outer) + "." + type.Name;
        return type.ContainingNamespace is { IsGlobalNamespace: false } space
            ? space.ToDisplayString() + "." + type.Name
            : type.Name;
    }

    private bool IsAllowed(INamedTypeSymbol? type) =>
        type is null
        || type.IsAnonymousType
        || type.IsTupleType
        || type.TypeKind is TypeKind.Error or TypeKind.Dynamic
        || IsOwn(type)
        || AllowedMembers.Contains(type) && Name(type) != OnlyNewLine;

    private bool IsOwn(INamedTypeSymbol type) =>
        SymbolEqualityComparer.Default.Equals(type.ContainingAssembly, model.Compilation.Assembly);
}
