using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// Finds the edits that turn users' expressions on document values into calls that bind: <c>doc.A.B</c> becomes
/// look-ups that return null for missing properties. One pass uses the types known so far; passes are repeated until
/// one finds nothing more.
/// </summary>
internal sealed partial class ValueRewriter
{
    /// <summary>The class of .NET whose place <see cref="ScriptRegex"/> takes.</summary>
    public const string RegexName = "System.Text.RegularExpressions.Regex";

    private readonly SemanticModel _model;
    private readonly TextSpan _user;
    private readonly INamedTypeSymbol _value;
    private readonly List<MappedText.Edit> _edits = [];
    private readonly HashSet<SyntaxNode> _rewritten = [];
    private readonly List<(TextSpan Span, string Code, string Message, string? Suggestion)> _errors;
    private readonly bool _castsKeepNull;

    public ValueRewriter(
        SemanticModel model,
        TextSpan user,
        List<(TextSpan Span, string Code, string Message, string? Suggestion)> errors,
        bool castsKeepNull
    )
    {
        _castsKeepNull = castsKeepNull;
        _model = model;
        _user = user;
        _errors = errors;
        _value = model.Compilation.GetTypeByMetadataName(typeof(ScriptValue).FullName!)!;
    }

    public List<MappedText.Edit> Run(SyntaxNode root)
    {
        Visit(root);
        return _edits;
    }

    private void Visit(SyntaxNode node)
    {
        if (!node.FullSpan.IntersectsWith(_user))
            return;
        // Operands first, so that the outer of two look-ups knows that the inner one returns a value.
        foreach (var child in node.ChildNodes())
            Visit(child);
        if (!_user.Contains(node.Span))
            return;
        switch (node)
        {
            case MemberAccessExpressionSyntax { RawKind: (int)SyntaxKind.SimpleMemberAccessExpression } access:
                Member(access, access.Name, access.Expression);
                break;
            case MemberBindingExpressionSyntax binding when Receiver(binding) is { } receiver:
                Member(binding, binding.Name, receiver);
                break;
            case ElementAccessExpressionSyntax element when IsValue(element.Expression):
                Element(element, element.ArgumentList);
                break;
            case ElementBindingExpressionSyntax element when Receiver(element) is { } receiver && IsValue(receiver):
                Element(element, element.ArgumentList);
                break;
            case InvocationExpressionSyntax invocation:
                Invocation(invocation);
                break;
            case BaseObjectCreationExpressionSyntax { ArgumentList: { } arguments } creation:
                Overload(creation, arguments);
                break;
            case ForEachStatementSyntax loop when IsValue(loop.Expression):
                Append(loop.Expression, "OrEmpty()");
                break;
            case FromClauseSyntax from when IsValue(from.Expression):
                Append(from.Expression, "OrEmpty()");
                break;
            case JoinClauseSyntax join when IsValue(join.InExpression):
                Append(join.InExpression, "OrEmpty()");
                break;
            case SpreadElementSyntax spread when IsValue(spread.Expression):
                Append(spread.Expression, "OrEmpty()");
                break;
            case SwitchStatementSyntax choice when IsValue(choice.Expression):
                Pattern(choice.Expression, choice.Sections);
                break;
            case SwitchExpressionSyntax choice:
                if (IsValue(choice.GoverningExpression))
                    Pattern(choice.GoverningExpression, choice.Arms.Select(a => a.Pattern));
                Unify([.. choice.Arms.Select(a => a.Expression)]);
                break;
            case IsPatternExpressionSyntax test when IsValue(test.Expression):
                Pattern(test.Expression, [test.Pattern]);
                break;
            case BinaryExpressionSyntax { RawKind: (int)SyntaxKind.IsExpression or (int)SyntaxKind.AsExpression } test
                when IsValue(test.Left) && !IsValueType(_model.GetTypeInfo(test.Right).Type):
                Append(test.Left, "Unwrap()");
                break;
            case BinaryExpressionSyntax
            {
                RawKind: (int)SyntaxKind.LogicalAndExpression or (int)SyntaxKind.LogicalOrExpression
            } logical:
                Cast("bool", logical.Left);
                Cast("bool", logical.Right);
                break;
            case ConditionalExpressionSyntax conditional:
                Unify([conditional.WhenTrue, conditional.WhenFalse]);
                break;
            case ImplicitArrayCreationExpressionSyntax array:
                Unify([.. array.Initializer.Expressions]);
                break;
            case CastExpressionSyntax cast
                when _castsKeepNull
                    && IsValue(cast.Expression)
                    && ValueCast(_model.GetTypeInfo(cast.Type).Type) is { } form:
                NullableCast(cast, form);
                break;
            case CastExpressionSyntax cast
                when IsValue(cast.Expression)
                    && IsIntegral(_model.GetTypeInfo(cast.Type).Type)
                    && !IsCut(cast.Expression):
                Append(cast.Expression, "Cut()");
                break;
            case IdentifierNameSyntax { Identifier.ValueText: nameof(Regex) } name
                when _model.GetSymbolInfo(name).Symbol is INamedTypeSymbol type && type.ToDisplayString() == RegexName:
                Replace(Qualified(name).Span, $"global::{typeof(ScriptRegex).FullName}");
                break;
            case IdentifierNameSyntax { Identifier.ValueText: nameof(Match.NextMatch) } name
                when _model.GetSymbolInfo(name).Symbol is IMethodSymbol method
                    && method.ContainingType.ToDisplayString() == typeof(Match).FullName:
                Replace(name.Span, nameof(ScriptMatches.NextInTime));
                break;
            case IdentifierNameSyntax name
                when _model.GetTypeInfo(name).Type is IDynamicTypeSymbol && name.Identifier.Text == "dynamic":
                Replace(name.Span, nameof(ScriptValue));
                break;
        }
    }

    /// <summary>Whether the expression returns a document value, if this pass can tell.</summary>
    private bool IsValue(ExpressionSyntax expression)
    {
        while (true)
        {
            if (_rewritten.Contains(expression))
                return true;
            switch (expression)
            {
                case ParenthesizedExpressionSyntax parenthesized:
                    expression = parenthesized.Expression;
                    continue;
                case PostfixUnaryExpressionSyntax
                {
                    RawKind: (int)SyntaxKind.SuppressNullableWarningExpression
                } suppressed:
                    expression = suppressed.Operand;
                    continue;
                case ConditionalAccessExpressionSyntax conditional when _rewritten.Contains(conditional.WhenNotNull):
                    return true;
            }

            return IsValueType(_model.GetTypeInfo(expression).Type)
                && _model.GetSymbolInfo(expression).Symbol is not ITypeSymbol;
        }
    }

    private bool IsValueType(ITypeSymbol? type) => SymbolEqualityComparer.Default.Equals(type, _value);

    private static bool IsIntegral(ITypeSymbol? type)
    {
        if (type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable)
            type = nullable.TypeArguments[0];
        return type?.SpecialType is >= SpecialType.System_SByte and <= SpecialType.System_UInt64;
    }

    /// <summary>The method that replaces a cast to the type. It works on values and returns null for null.</summary>
    private static string? ValueCast(ITypeSymbol? type)
    {
        if (type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable)
            type = nullable.TypeArguments[0];
        return type?.SpecialType switch
        {
            >= SpecialType.System_SByte and <= SpecialType.System_UInt64 => "CastInteger()",
            SpecialType.System_Decimal => "CastDecimal()",
            SpecialType.System_Double or SpecialType.System_Single => "CastDouble()",
            SpecialType.System_DateTime => "CastDate()",
            _ => type is { Name: "DateTimeOffset", ContainingNamespace.Name: "System" } ? "CastDate()" : null,
        };
    }

    /// <summary>A name with its qualifier.</summary>
    private static SyntaxNode Qualified(SimpleNameSyntax name) =>
        name.Parent switch
        {
            QualifiedNameSyntax qualified when qualified.Right == name => qualified,
            MemberAccessExpressionSyntax access when access.Name == name => access,
            AliasQualifiedNameSyntax alias => alias,
            _ => name,
        };

    private void NullableCast(CastExpressionSyntax cast, string form)
    {
        // An expression edited inside in this pass is wrapped in a later one.
        if (_edits.Exists(e => e.Start >= cast.Expression.SpanStart && e.Start <= cast.Expression.Span.End))
            return;
        Replace(TextSpan.FromBounds(cast.OpenParenToken.SpanStart, cast.CloseParenToken.Span.End), "");
        Insert(cast.Expression.SpanStart, "(");
        Insert(cast.Expression.Span.End, ")." + form);
        _rewritten.Add(cast);
    }

    private static bool IsCut(ExpressionSyntax expression) =>
        expression
            is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Name.Identifier.Text: "Cut" } };

    /// <summary>The receiver of a binding after <c>?.</c> or <c>?[</c>.</summary>
    private static ExpressionSyntax? Receiver(SyntaxNode binding)
    {
        for (var node = binding; node.Parent is { } parent; node = parent)
        {
            if (parent is ConditionalAccessExpressionSyntax conditional && conditional.WhenNotNull == node)
                return conditional.Expression;
        }

        return null;
    }

    private void Member(ExpressionSyntax access, SimpleNameSyntax name, ExpressionSyntax receiver)
    {
        if (
            !IsValue(receiver)
            || name.Identifier.IsMissing
            || access.Parent is InvocationExpressionSyntax call && call.Expression == access
        )
        {
            return;
        }

        if (name is not IdentifierNameSyntax || IsMethodGroup(access))
            return;
        if (IsAssigned(access))
            return;
        Replace(name.Span, $"Get({SymbolDisplay.FormatLiteral(name.Identifier.ValueText, quote: true)}u8)");
        _rewritten.Add(access);
        KeepName(access, name.Identifier);
    }

    /// <summary>A method of values given as a delegate, as in <c>Select(doc.Tags.Contains)</c>.</summary>
    private bool IsMethodGroup(ExpressionSyntax access) =>
        access.Parent is ArgumentSyntax
        && access is MemberAccessExpressionSyntax
        && _model.GetSymbolInfo(access).Symbol is IMethodSymbol;

    private bool IsAssigned(ExpressionSyntax access)
    {
        var written = access.Parent switch
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
            ArgumentSyntax argument => !argument.RefKindKeyword.IsKind(SyntaxKind.None),
            _ => false,
        };
        if (written)
        {
            _errors.Add(
                (
                    access.Span,
                    "SCRIPT003",
                    "a document cannot be changed in a script",
                    "send a new object, or doc.With(new { … }) for a copy with changes"
                )
            );
        }

        return written;
    }

    /// <summary>An anonymous object's or tuple's member that took its name from the property keeps it.</summary>
    private void KeepName(ExpressionSyntax access, SyntaxToken name)
    {
        SyntaxNode top = access;
        while (top.Parent is ConditionalAccessExpressionSyntax conditional && conditional.WhenNotNull == top)
            top = conditional;
        switch (top.Parent)
        {
            case AnonymousObjectMemberDeclaratorSyntax { NameEquals: null }:
                Insert(top.SpanStart, name.Text + " = ");
                break;
            case ArgumentSyntax { NameColon: null, Parent: TupleExpressionSyntax tuple }
                when tuple.Arguments.Count(a => a.ToString().EndsWith("." + name.Text, StringComparison.Ordinal)) == 1:
                Insert(top.SpanStart, name.Text + ": ");
                break;
        }
    }

    private void Element(ExpressionSyntax access, BracketedArgumentListSyntax arguments)
    {
        if (arguments.OpenBracketToken.IsMissing || arguments.CloseBracketToken.IsMissing || IsAssigned(access))
            return;
        Replace(arguments.OpenBracketToken.Span, ".Get(");
        Replace(arguments.CloseBracketToken.Span, ")");
        _rewritten.Add(access);
    }

    private void Insert(int position, string text) => _edits.Add(new MappedText.Edit(position, 0, text));

    private void Replace(TextSpan span, string text) => _edits.Add(new MappedText.Edit(span.Start, span.Length, text));

    private void Append(ExpressionSyntax expression, string call)
    {
        if (_rewritten.Contains(expression) && expression is not ParenthesizedExpressionSyntax)
        {
            // The look-up itself is edited in this pass; the next one sees its result.
            return;
        }

        Wrap(expression, "(", ")." + call);
    }

    /// <summary>Of two that begin at the same place the outer one waits for the next pass.</summary>
    private void Wrap(ExpressionSyntax expression, string before, string after)
    {
        if (_edits.Exists(e => e.Start == expression.SpanStart && e.Length == 0))
            return;
        Insert(expression.SpanStart, before);
        Insert(expression.Span.End, after);
    }

    private void Cast(string type, ExpressionSyntax expression)
    {
        if (!IsValue(expression) || _rewritten.Contains(expression))
            return;
        Wrap(expression, $"({type})(", ")");
    }

    /// <summary>
    /// Converts all alternatives to values if one of them is a value. C# finds no common type if each converts to the
    /// other.
    /// </summary>
    private void Unify(IReadOnlyList<ExpressionSyntax> alternatives)
    {
        if (!alternatives.Any(IsValue))
            return;
        foreach (var alternative in alternatives)
        {
            if (
                !IsValue(alternative)
                && _model.GetTypeInfo(alternative).Type is { TypeKind: not TypeKind.Error }
                && alternative is not ThrowExpressionSyntax
            )
            {
                Wrap(alternative, $"({nameof(ScriptValue)})(", ")");
            }
        }
    }
}
