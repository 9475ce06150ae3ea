using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Pipeline.Scripting.Compilation;

/// <content>Patterns: the value is converted to the type of the constants that it is compared with.</content>
internal sealed partial class ValueRewriter
{
    private void Pattern(ExpressionSyntax subject, IEnumerable<SyntaxNode> parts)
    {
        var text = false;
        var number = false;
        var real = false;
        var boolean = false;
        var other = false;
        foreach (var node in parts.SelectMany(PatternNodes))
        {
            switch (node)
            {
                case ConstantPatternSyntax constant
                    when _model.GetSymbolInfo(constant.Expression).Symbol is ITypeSymbol:
                    other = true;
                    break;
                case ConstantPatternSyntax constant:
                    Classify(constant.Expression);
                    break;
                case RelationalPatternSyntax relational:
                    Classify(relational.Expression);
                    break;
                case CaseSwitchLabelSyntax label:
                    Classify(label.Value);
                    break;
                case DeclarationPatternSyntax declaration when !IsValueType(_model.GetTypeInfo(declaration.Type).Type):
                case TypePatternSyntax type when !IsValueType(_model.GetTypeInfo(type.Type).Type):
                    other = true;
                    break;
            }
        }

        var kinds = (text ? 1 : 0) + (number || real ? 1 : 0) + (boolean ? 1 : 0) + (other ? 1 : 0);
        if (kinds == 0)
            return;
        Append(
            subject,
            kinds > 1 || other ? "Unwrap()"
                : text ? "AsLabel()"
                : boolean ? "AsBoolean()"
                : real ? "AsReal()"
                : "AsNumber()"
        );

        void Classify(ExpressionSyntax expression)
        {
            var type = _model.GetTypeInfo(expression).Type;
            if (
                expression.IsKind(SyntaxKind.NullLiteralExpression)
                || expression.IsKind(SyntaxKind.DefaultLiteralExpression)
            )
            {
                return;
            }

            switch (type?.SpecialType)
            {
                case SpecialType.System_String:
                    text = true;
                    break;
                case SpecialType.System_Boolean:
                    boolean = true;
                    break;
                case SpecialType.System_Double or SpecialType.System_Single:
                    real = true;
                    break;
                case >= SpecialType.System_SByte and <= SpecialType.System_Decimal:
                    number = true;
                    break;
                default:
                    other = true;
                    break;
            }
        }
    }

    /// <summary>The patterns of these parts, without those inside of statements and of property patterns.</summary>
    private static IEnumerable<SyntaxNode> PatternNodes(SyntaxNode part)
    {
        if (part is SwitchSectionSyntax section)
            return section.Labels.SelectMany(PatternNodes);
        if (part is CasePatternSwitchLabelSyntax label)
            return PatternNodes(label.Pattern);
        return part.DescendantNodesAndSelf(n =>
            n
                is PatternSyntax
                    and not RecursivePatternSyntax
                    and not ConstantPatternSyntax
                    and not RelationalPatternSyntax
        );
    }
}
