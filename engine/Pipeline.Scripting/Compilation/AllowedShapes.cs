using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// Refuses forms of the language that hand control to code which no guard of the script sees: delegates of delegates,
/// classes that extend .NET's, structs that hold anything. Each could recurse or grow without a step of the script.
/// </summary>
internal sealed class AllowedShapes(
    SemanticModel model,
    TextSpan user,
    List<(TextSpan Span, string Code, string Message, string? Suggestion)> errors
)
{
    private const int MaxElements = 1 << 20;

    public void Check(SyntaxNode root)
    {
        foreach (var node in root.DescendantNodes().Where(n => user.Contains(n.Span)))
        {
            switch (node)
            {
                case BinaryExpressionSyntax
                or AssignmentExpressionSyntax
                {
                    RawKind: (int)SyntaxKind.AddAssignmentExpression or (int)SyntaxKind.SubtractAssignmentExpression
                }
                    when model.GetTypeInfo(node).Type?.TypeKind == TypeKind.Delegate
                        && node is not BinaryExpressionSyntax { RawKind: (int)SyntaxKind.CoalesceExpression }:
                    Refuse(node, "functions cannot be added in a script", "call them one after another");
                    break;
                case BaseObjectCreationExpressionSyntax creation
                    when model.GetTypeInfo(creation).Type is { TypeKind: TypeKind.Delegate }:
                    Refuse(node, "a delegate cannot be created with 'new' in a script", "write the function itself");
                    break;
                case SimpleNameSyntax name
                    when model.GetSymbolInfo(name).Symbol
                        is IMethodSymbol
                        {
                            MethodKind: MethodKind.Ordinary or MethodKind.ReducedExtension or MethodKind.DelegateInvoke
                        } method
                        && !IsCalled(name):
                    MethodGroup(name, method);
                    break;
                case ArrayCreationExpressionSyntax { Initializer: null } array
                    when array.Type.RankSpecifiers[0].Rank > 1 && !IsSmall(array):
                    Refuse(
                        node,
                        $"an array of several dimensions needs constant sizes, of {MaxElements} elements at most",
                        "use an array of arrays"
                    );
                    break;
                case BaseTypeSyntax { Type: var type }
                    when model.GetTypeInfo(type).Type
                        is INamedTypeSymbol
                        {
                            TypeKind: TypeKind.Class,
                            SpecialType: not SpecialType.System_Object
                        } named
                        && !IsOwn(named):
                    Refuse(
                        node,
                        $"a class of a script cannot extend '{named.Name}'",
                        "hold one in a field, or throw InvalidOperationException"
                    );
                    break;
                case ConstructorInitializerSyntax
                or PrimaryConstructorBaseTypeSyntax
                    when node.DescendantNodes().Any(n => n is BaseObjectCreationExpressionSyntax):
                    Refuse(
                        node,
                        "a constructor cannot create objects for the constructor that it calls",
                        "create them in a static method"
                    );
                    break;
                case TypeDeclarationSyntax declaration
                    when model.GetDeclaredSymbol(declaration) is { IsValueType: true } structure
                        && structure.GetMembers().OfType<IFieldSymbol>().Any(f => !f.IsStatic && IsOpen(f.Type)):
                    Refuse(
                        declaration,
                        $"the struct '{structure.Name}' cannot hold a value of type object or of an interface",
                        "name the type, or make it a class",
                        declaration.Identifier.Span
                    );
                    break;
                case InterpolatedStringExpressionSyntax text
                    when model.GetTypeInfo(text).ConvertedType is { Name: "FormattableString" or "IFormattable" }
                        && !IsInvariant(text):
                    Refuse(
                        node,
                        "an interpolated text must be a string in a script",
                        "use FormattableString.Invariant($\"…\") for the invariant culture"
                    );
                    break;
                case InvocationExpressionSyntax
                {
                    Expression: MemberAccessExpressionSyntax
                    {
                        Name.Identifier.Text: nameof(Enumerable.ThenBy) or nameof(Enumerable.ThenByDescending)
                    } access
                }
                    when access.Expression is not InvocationExpressionSyntax
                        && model.GetSymbolInfo(access).Symbol
                            is IMethodSymbol { ContainingType.Name: nameof(Enumerable) }:
                    Refuse(
                        access.Name,
                        $"'{access.Name.Identifier.Text}' must follow OrderBy at once",
                        "write the whole order in one expression"
                    );
                    break;
            }
        }
    }

    private void Refuse(SyntaxNode node, string message, string suggestion, TextSpan? span = null) =>
        errors.Add((span ?? node.Span, "SCRIPT002", message, suggestion));

    private void MethodGroup(SimpleNameSyntax name, IMethodSymbol method)
    {
        var definition = (method.ReducedFrom ?? method).OriginalDefinition;
        var isOwn = IsOwn(definition.ContainingType);
        if (
            method.MethodKind != MethodKind.DelegateInvoke
            && (
                isOwn
                || !definition.Parameters.Any(p => MeasuredMethods.IsMeasured(definition, p))
                    && !IsComparer(definition.ContainingType)
                    && definition.ReturnType.TypeKind != TypeKind.Interface
            )
        )
        {
            return;
        }

        Refuse(
            name,
            $"'{method.ContainingType.Name}.{method.Name}' cannot be handed on as a function",
            "write a lambda that calls it"
        );
    }

    private static bool IsCalled(SimpleNameSyntax name)
    {
        var access =
            name.Parent is MemberAccessExpressionSyntax member && member.Name == name
            || name.Parent is MemberBindingExpressionSyntax
                ? name.Parent!
                : name;
        return access.Parent is InvocationExpressionSyntax call && call.Expression == access
            || access.Parent
                is ArgumentSyntax
                {
                    Parent.Parent: InvocationExpressionSyntax
                    {
                        Expression: IdentifierNameSyntax { Identifier.Text: "nameof" }
                    }
                };
    }

    private static bool IsComparer(INamedTypeSymbol type) =>
        type.Name.EndsWith("Comparer", StringComparison.Ordinal)
        || type.TypeKind == TypeKind.Delegate
        || type.Name is "IComparable" or "IEquatable";

    private bool IsSmall(ArrayCreationExpressionSyntax array)
    {
        long elements = 1;
        foreach (var size in array.Type.RankSpecifiers[0].Sizes)
        {
            if (model.GetConstantValue(size) is not { HasValue: true, Value: int count and >= 0 })
                return false;
            elements = Math.Min(elements * count, int.MaxValue);
        }

        return elements <= MaxElements;
    }

    private static bool IsInvariant(InterpolatedStringExpressionSyntax text) =>
        text.Parent
            is ArgumentSyntax
            {
                Parent.Parent: InvocationExpressionSyntax
                {
                    Expression: MemberAccessExpressionSyntax
                    {
                        Name.Identifier.Text: nameof(FormattableString.Invariant)
                    }
                }
            };

    /// <summary>Whether a value of the type may be anything, also an object that compares its members.</summary>
    public static bool IsOpen(ITypeSymbol type) =>
        type switch
        {
            { SpecialType: SpecialType.System_Object or SpecialType.System_ValueType }
            or IDynamicTypeSymbol
            or ITypeParameterSymbol => true,
            { TypeKind: TypeKind.Interface } => type.OriginalDefinition.SpecialType
                is not SpecialType.System_Collections_Generic_IEnumerable_T
                && type.ContainingNamespace.ToDisplayString() != "System.Collections.Generic",
            _ => false,
        };

    private bool IsOwn(INamedTypeSymbol type) =>
        SymbolEqualityComparer.Default.Equals(type.ContainingAssembly, model.Compilation.Assembly);
}
