using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;
using Microsoft.CodeAnalysis.Text;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// Finds the edits that measure a call's allocation in advance and that link the queries of a chain to the run's
/// limits.
/// </summary>
/// <remarks>
/// A guard in loops and functions sees a call only after it has returned. Without these edits one call could take
/// gigabytes, or exhaust the stack.
/// </remarks>
internal sealed class BoundsInserter(SemanticModel model, TextSpan user)
{
    private const string Sizes = $"global::Pipeline.Scripting.Runtime.{nameof(ScriptSizes)}.";
    private const string Texts = $"global::Pipeline.Scripting.Runtime.{nameof(CheckedText)}.";
    private const string Sequences = $"global::Pipeline.Scripting.Runtime.{nameof(ScriptSequence)}.";
    private const string Guard = $"global::Pipeline.Scripting.Runtime.{nameof(ScriptGuard)}.";

    private readonly List<(TextSpan Span, string Before, string After)> _wraps = [];
    private readonly List<MappedText.Edit> _edits = [];
    private readonly HashSet<TextSpan> _wrapped = [];

    public List<MappedText.Edit> Run(SyntaxNode root)
    {
        foreach (var node in root.DescendantNodes().Where(n => user.Contains(n.Span)))
        {
            switch (node)
            {
                case BinaryExpressionSyntax { RawKind: (int)SyntaxKind.AddExpression } sum
                    when IsText(sum) && !IsConstant(sum):
                    Operand(sum.Left);
                    Operand(sum.Right);
                    break;
                case AssignmentExpressionSyntax { RawKind: (int)SyntaxKind.AddAssignmentExpression } sum
                    when IsText(sum.Left) && model.GetTypeInfo(sum.Right).Type is { IsRefLikeType: false }:
                    Wrap(sum.Right, IsText(sum.Right) ? Sizes + "Text(" : Sizes + "Copy(");
                    break;
                case AssignmentExpressionSyntax { RawKind: (int)SyntaxKind.SimpleAssignmentExpression } assignment
                    when IsLength(assignment.Left):
                    Wrap(assignment.Right, Sizes + "Room(", ",2)");
                    break;
                case InterpolatedStringExpressionSyntax text when !IsConstant(text):
                    Interpolated(text);
                    break;
                case ArrayCreationExpressionSyntax array:
                    Array(array);
                    break;
                case SpreadElementSyntax spread
                    when model.GetTypeInfo(spread.Expression).Type is { IsRefLikeType: false } type:
                    Wrap(spread.Expression, MeasuredMethods.IsSequence(type) ? Sizes + "Items(" : Sizes + "Copy(");
                    break;
                case FromClauseSyntax from when from.Type is null:
                    Link(from.Expression);
                    break;
                case JoinClauseSyntax join when join.Type is null:
                    Link(join.InExpression);
                    break;
                case AnonymousObjectMemberDeclaratorSyntax member:
                    Member(
                        member.Expression,
                        name: member.NameEquals is null ? Inferred(member.Expression, " = ") : ""
                    );
                    break;
                case TupleExpressionSyntax tuple when TupleOf(tuple) is { } type && !IsAssigned(tuple):
                    for (var i = 0; i < tuple.Arguments.Count && i < type.TupleElements.Length; i++)
                    {
                        Member(
                            tuple.Arguments[i].Expression,
                            type.TupleElements[i].Type,
                            tuple.Arguments[i].NameColon is null && type.TupleElements[i].IsExplicitlyNamedTupleElement
                                ? type.TupleElements[i].Name + ": "
                                : ""
                        );
                    }

                    break;
                case TypeDeclarationSyntax declaration and not InterfaceDeclarationSyntax:
                    Declaration(declaration);
                    break;
                case InvocationExpressionSyntax
                    when model.GetOperation(node) is IInvocationOperation { TargetMethod: { } method } call:
                    Call(node, method, call.Arguments);
                    break;
                case BaseObjectCreationExpressionSyntax
                    when model.GetOperation(node) is IObjectCreationOperation { Constructor: { } constructor } creation:
                    Call(node, constructor, creation.Arguments);
                    break;
            }
        }

        return Edits();
    }

    private void Call(SyntaxNode node, IMethodSymbol method, IEnumerable<IArgumentOperation> arguments)
    {
        var definition = (method.ReducedFrom ?? method).OriginalDefinition;
        if (!IsFrameworks(definition))
            return;
        Rename(node, definition);
        var isQuery = definition.ContainingType.Name == nameof(Enumerable);
        foreach (var argument in arguments)
        {
            if (
                argument.Parameter?.OriginalDefinition is not { } parameter
                || argument.ArgumentKind != ArgumentKind.Explicit
                || Written(argument) is not { } value
            )
            {
                continue;
            }

            if (MeasuredMethods.IsSize(definition, parameter))
            {
                Wrap(value, Sizes + "Room(", $",{MeasuredMethods.Size(method)})");
            }
            else if (parameter is { Name: "format", Type.SpecialType: SpecialType.System_String } && IsText(value))
            {
                Wrap(value, Sizes + "Format(");
            }
            else if (isQuery && MeasuredMethods.IsSequence(parameter.Type))
            {
                Link(
                    value,
                    isOrdered: definition.Name is nameof(Enumerable.ThenBy) or nameof(Enumerable.ThenByDescending)
                );
            }
            else if (
                MeasuredMethods.IsSequence(parameter.Type)
                && model.GetTypeInfo(value).Type is { IsRefLikeType: false } type
            )
            {
                Wrap(value, MeasuredMethods.IsSequence(type) ? Sizes + "Items(" : Sizes + "Copy(");
            }
            else if (
                definition.ContainingType.Name is "Tuple" or "KeyValuePair" or "ValueTuple"
                && method.MethodKind is MethodKind.Constructor or MethodKind.Ordinary
                && AllowedShapes.IsOpen(argument.Parameter.Type)
            )
            {
                Member(value, argument.Parameter.Type);
            }
            else if (
                MeasuredMethods.Grows(definition, parameter)
                && model.GetTypeInfo(value).Type is { IsRefLikeType: false }
            )
            {
                Wrap(value, Sizes + "Copy(");
            }
        }
    }

    /// <summary>
    /// A member that may hold anything may not hold a tuple or an anonymous object that does so, too.
    /// </summary>
    private void Member(ExpressionSyntax value, ITypeSymbol? type = null, string name = "")
    {
        if ((type ?? model.GetTypeInfo(value).Type) is { } held && AllowedShapes.IsOpen(held) && !IsConstant(value))
        {
            Wrap(
                value,
                name
                    + Guard
                    + (
                        type is null
                            ? "Member("
                            : $"Member<{type.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat)}>("
                    )
            );
        }
    }

    /// <summary>The name that a member takes from its expression; wrapped, it would lose it.</summary>
    private static string Inferred(ExpressionSyntax value, string separator) =>
        value switch
        {
            IdentifierNameSyntax name => name.Identifier.Text + separator,
            MemberAccessExpressionSyntax access => access.Name.Identifier.Text + separator,
            ConditionalAccessExpressionSyntax { WhenNotNull: MemberBindingExpressionSyntax binding } => binding
                .Name
                .Identifier
                .Text + separator,
            _ => "",
        };

    /// <summary>The type that a tuple is made as, before it is boxed.</summary>
    private INamedTypeSymbol? TupleOf(TupleExpressionSyntax tuple)
    {
        var info = model.GetTypeInfo(tuple);
        return info.ConvertedType is INamedTypeSymbol { IsTupleType: true } converted
            ? converted
            : info.Type as INamedTypeSymbol;
    }

    private static bool IsAssigned(TupleExpressionSyntax tuple) =>
        tuple.Parent is AssignmentExpressionSyntax assignment && assignment.Left == tuple
        || tuple.Parent is ForEachVariableStatementSyntax;

    /// <summary>
    /// What runs of a type without a function of the script: initializers of its fields, and a record's comparison.
    /// </summary>
    private void Declaration(TypeDeclarationSyntax declaration)
    {
        var initializes = declaration.Members.Any(m =>
            m is FieldDeclarationSyntax { Declaration.Variables: var variables } field
                && !IsStatic(field.Modifiers)
                && variables.Any(v => v.Initializer is not null)
            || m is PropertyDeclarationSyntax { Initializer: not null } property && !IsStatic(property.Modifiers)
        );
        var text =
            (initializes ? $"private readonly bool __look = {Guard}{nameof(ScriptGuard.Look)}();" : "")
            + (declaration is RecordDeclarationSyntax record ? Contract(record) : "");
        if (text.Length == 0)
            return;
        if (declaration.OpenBraceToken.IsKind(SyntaxKind.None))
        {
            _edits.Add(
                new MappedText.Edit(
                    declaration.SemicolonToken.SpanStart,
                    declaration.SemicolonToken.Span.Length,
                    "{" + text + "}"
                )
            );
        }
        else
        {
            _edits.Add(new MappedText.Edit(declaration.OpenBraceToken.Span.End, 0, text));
        }
    }

    /// <summary>A record's comparison and hash begin with its contract, which checks the stack.</summary>
    private string Contract(RecordDeclarationSyntax record)
    {
        if (
            record.IsKind(SyntaxKind.RecordStructDeclaration)
            || model.GetDeclaredSymbol(record) is not { } type
            || type.DeclaringSyntaxReferences is not [{ } first]
            || first.Span != record.Span
        )
        {
            return "";
        }

        var modifiers =
            type.BaseType?.SpecialType != SpecialType.System_Object ? "protected override"
            : type.IsSealed ? "private"
            : "protected virtual";
        return $"{modifiers} global::System.Type EqualityContract {{ get {{ {Guard}{nameof(ScriptGuard.Call)}(); return typeof({type.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat)}); }} }}";
    }

    private static bool IsStatic(SyntaxTokenList modifiers) =>
        modifiers.Any(SyntaxKind.StaticKeyword) || modifiers.Any(SyntaxKind.ConstKeyword);

    private static ExpressionSyntax? Written(IArgumentOperation argument) =>
        argument.Syntax switch
        {
            ArgumentSyntax syntax => syntax.Expression,
            ExpressionSyntax receiver => receiver,
            _ => null,
        };

    /// <summary>Methods that have a form that measures.</summary>
    private void Rename(SyntaxNode node, IMethodSymbol method)
    {
        var checkedName = (method.ContainingType.ToDisplayString(), method.Name) switch
        {
            ("string", "Replace") or ("System.Text.StringBuilder", "Replace") => nameof(CheckedText.ReplaceInBounds),
            ("System.Text.StringBuilder", "AppendFormat") => nameof(CheckedText.FormatInBounds),
            ("System.Text.StringBuilder", "AppendJoin") => nameof(CheckedText.JoinInBounds),
            _ => null,
        };
        var name = (node as InvocationExpressionSyntax)?.Expression switch
        {
            MemberAccessExpressionSyntax access => access.Name,
            MemberBindingExpressionSyntax binding => binding.Name,
            _ => null,
        };
        if (checkedName is not null && name is not null)
        {
            _edits.Add(new MappedText.Edit(name.SpanStart, name.Span.Length, checkedName));
        }
        else if (
            name is not null
            && node is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax outer }
            && method.Name == "Invariant"
            && method.ContainingType.ToDisplayString() == "System.FormattableString"
        )
        {
            _edits.Add(new MappedText.Edit(outer.SpanStart, outer.Span.Length, Texts + nameof(CheckedText.Invariant)));
        }
    }

    private void Operand(ExpressionSyntax operand)
    {
        if (
            IsText(operand)
            && !IsConstant(operand)
            && operand
                is not BinaryExpressionSyntax { RawKind: (int)SyntaxKind.AddExpression }
                    and not InterpolatedStringExpressionSyntax
        )
        {
            Wrap(operand, Sizes + "Text(");
        }
    }

    private void Interpolated(InterpolatedStringExpressionSyntax text)
    {
        if (
            model.GetTypeInfo(text).ConvertedType
            is { SpecialType: SpecialType.System_String or SpecialType.System_Object }
                or { Name: nameof(ScriptValue) or "AppendInterpolatedStringHandler" }
        )
        {
            Wrap(text, Texts + "Interpolate(");
        }
    }

    private void Array(ArrayCreationExpressionSyntax array)
    {
        if (
            array.Type.RankSpecifiers[0].Sizes is [{ } size]
            && size is not OmittedArraySizeExpressionSyntax
            && !IsConstantBelow(size)
            && model.GetTypeInfo(array).Type is IArrayTypeSymbol type
        )
        {
            Wrap(size, Sizes + "Room(", $",{MeasuredMethods.Size(type.ElementType)})");
        }
    }

    /// <summary>
    /// A sequence that is read from a variable or a function may be a chain of any length; one that is written out in
    /// place is not.
    /// </summary>
    private void Link(ExpressionSyntax source, bool isOrdered = false)
    {
        if (
            isOrdered
            || !MeasuredMethods.IsSequence(model.GetTypeInfo(source).Type)
            || model.GetOperation(source) is IInvocationOperation { TargetMethod: var method } && IsFrameworks(method)
            || source is QueryExpressionSyntax
        )
        {
            return;
        }

        if (model.GetSymbolInfo(source).Symbol is IPropertySymbol property && IsFrameworks(property))
            return;
        Wrap(source, Sequences + "Source(");
    }

    private bool IsFrameworks(ISymbol symbol) =>
        !SymbolEqualityComparer.Default.Equals(symbol.ContainingAssembly, model.Compilation.Assembly);

    private bool IsText(ExpressionSyntax expression) =>
        model.GetTypeInfo(expression).Type?.SpecialType == SpecialType.System_String;

    private bool IsConstant(ExpressionSyntax expression) => model.GetConstantValue(expression).HasValue;

    private bool IsConstantBelow(ExpressionSyntax size) =>
        model.GetConstantValue(size) is { HasValue: true, Value: int and >= 0 and < 64 };

    private bool IsLength(ExpressionSyntax left) =>
        model.GetSymbolInfo(left).Symbol is IPropertySymbol { Name: "Length", ContainingType.Name: "StringBuilder" };

    private void Wrap(ExpressionSyntax expression, string before, string after = ")")
    {
        if (_wrapped.Add(expression.Span))
            _wraps.Add((expression.Span, before, after));
    }

    /// <summary>Of two that begin or end at one place, the longer one is around the shorter one.</summary>
    private List<MappedText.Edit> Edits()
    {
        var places = new List<(int Position, int Order, int Inner, MappedText.Edit Edit)>();
        foreach (var (span, before, after) in _wraps)
        {
            places.Add((span.Start, 1, -span.Length, new MappedText.Edit(span.Start, 0, before)));
            places.Add((span.End, 0, span.Length, new MappedText.Edit(span.End, 0, after)));
        }

        foreach (var edit in _edits)
            places.Add((edit.Start, 2, 0, edit));
        return [.. places.OrderBy(p => p.Position).ThenBy(p => p.Order).ThenBy(p => p.Inner).Select(p => p.Edit)];
    }
}
