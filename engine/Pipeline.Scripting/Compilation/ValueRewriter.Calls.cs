using System.Collections.Immutable;
using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Compilation;

/// <content>
/// Calls: methods of values, static methods that have a form for values, and overloads that a value leaves undecided.
/// </content>
internal sealed partial class ValueRewriter
{
    private static readonly Dictionary<string, string> Renamed = new(StringComparer.Ordinal)
    {
        ["ToString"] = nameof(ScriptValueExtensions.ToText),
        ["Equals"] = nameof(ScriptValueExtensions.EqualTo),
        ["GetHashCode"] = nameof(ScriptValueExtensions.HashCode),
        ["CompareTo"] = nameof(ScriptValueExtensions.OrderTo),
    };

    private static readonly Dictionary<string, Type> Shims = new(StringComparer.Ordinal)
    {
        ["System.Math"] = typeof(ScriptMath),
        ["System.MathF"] = typeof(ScriptMath),
        ["System.Convert"] = typeof(ScriptConvert),
        ["System.String"] = typeof(ScriptString),
    };

    // Which parameter type a value goes to where several overloads would take it.
    private static readonly string[] Preferred =
    [
        "ScriptValue",
        "String",
        "Decimal",
        "Double",
        "Int64",
        "Int32",
        "DateTime",
        "DateTimeOffset",
        "TimeSpan",
        "Boolean",
    ];

    private static readonly HashSet<string> TextMethods = Methods(typeof(string));
    private static readonly HashSet<string> DateMethods = Methods(typeof(DateTime));
    private static readonly HashSet<string> SpanMethods = Methods(typeof(TimeSpan));

    private static HashSet<string> Methods(Type type) =>
        [
            .. type.GetMethods(BindingFlags.Public | BindingFlags.Instance)
                .Where(m => m.DeclaringType != typeof(object))
                .Select(m => m.Name),
        ];

    private void Invocation(InvocationExpressionSyntax invocation)
    {
        var (receiver, name) = invocation.Expression switch
        {
            MemberAccessExpressionSyntax access => (access.Expression, access.Name),
            MemberBindingExpressionSyntax binding => (Receiver(binding), binding.Name),
            _ => (null, null),
        };
        if (receiver is not null && name is not null && IsValue(receiver))
            ValueMethod(invocation, receiver, name);
        else if (receiver is not null && name is not null && Shim(invocation, receiver, name))
            return;
        else
            Overload(invocation, invocation.ArgumentList);
    }

    private void ValueMethod(InvocationExpressionSyntax invocation, ExpressionSyntax receiver, SimpleNameSyntax name)
    {
        if (Renamed.TryGetValue(name.Identifier.Text, out var renamed))
        {
            Replace(name.Identifier.Span, renamed);
            return;
        }

        // In this pass the receiver may not be bound yet.
        if (_rewritten.Contains(receiver))
            return;
        var info = _model.GetSymbolInfo(invocation);
        var candidates = info.Symbol is null ? info.CandidateSymbols : [info.Symbol];
        if (candidates.IsEmpty)
            candidates = _model.GetMemberGroup(invocation.Expression);
        if (candidates.IsEmpty)
        {
            var text = name.Identifier.Text;
            var form =
                TextMethods.Contains(text) ? "AsString"
                : DateMethods.Contains(text) ? "AsDateTime"
                : SpanMethods.Contains(text) ? "AsTimeSpan"
                : null;
            if (form is not null)
                Insert(name.SpanStart, form + "().");
            return;
        }

        if (
            info.Symbol is { ContainingType.Name: nameof(Enumerable) or nameof(ScriptSequenceExtensions) }
            || candidates.All(c => c.ContainingType.Name is nameof(Enumerable) or nameof(ScriptSequenceExtensions))
        )
        {
            // A sequence that is missing is an empty one.
            Insert(name.SpanStart, "OrEmpty().");
            return;
        }

        Overload(invocation, invocation.ArgumentList);
    }

    private bool Shim(InvocationExpressionSyntax invocation, ExpressionSyntax receiver, SimpleNameSyntax name)
    {
        if (_model.GetSymbolInfo(receiver).Symbol is not INamedTypeSymbol type)
            return false;
        var full = type.ToDisplayString(
            SymbolDisplayFormat.CSharpErrorMessageFormat.WithMiscellaneousOptions(
                SymbolDisplayMiscellaneousOptions.None
            )
        );
        if (
            full == "System.Linq.Enumerable"
            && name.Identifier.Text is nameof(ScriptSequence.Range) or nameof(ScriptSequence.Repeat)
        )
        {
            Replace(receiver.Span, nameof(ScriptSequence));
            return true;
        }

        if (full == "System.String" && Measured(invocation, name))
        {
            Replace(receiver.Span, nameof(CheckedText));
            return true;
        }

        if (
            !Shims.TryGetValue(full, out var shim)
            || !invocation.ArgumentList.Arguments.Any(a => IsValue(a.Expression))
            || !shim.GetMethods().Any(m => m.Name == name.Identifier.Text)
        )
        {
            return false;
        }

        Replace(receiver.Span, shim.Name);
        return true;
    }

    /// <summary>
    /// Whether a static method of text has a form that measures; asked when all arguments are known, since one that is
    /// a value takes another form.
    /// </summary>
    private bool Measured(InvocationExpressionSyntax invocation, SimpleNameSyntax name) =>
        name.Identifier.Text is nameof(string.Join) or nameof(string.Concat) or nameof(string.Format)
        && _model.GetSymbolInfo(invocation).Symbol is IMethodSymbol method
        && !invocation.ArgumentList.Arguments.Any(a =>
            IsValue(a.Expression) || _model.GetTypeInfo(a.Expression).Type is { TypeKind: TypeKind.Error }
        )
        && !method.Parameters.Any(p => p.Type.Name is "CompositeFormat")
        && !_edits.Exists(e => invocation.Span.Contains(e.Start));

    /// <summary>
    /// A call that does not bind because values convert to many types: the types of the best overload become casts.
    /// </summary>
    private void Overload(ExpressionSyntax call, BaseArgumentListSyntax? list)
    {
        if (list is null || !list.Arguments.Any(a => IsValue(a.Expression)))
            return;
        var info = _model.GetSymbolInfo(call);
        if (
            info.Symbol is not null
            || info.CandidateReason is not (CandidateReason.OverloadResolutionFailure or CandidateReason.Ambiguous)
        )
        {
            return;
        }

        var candidates = info.CandidateSymbols;
        if (call is InvocationExpressionSyntax invocation && candidates.Length <= 1)
            candidates = _model.GetMemberGroup(invocation.Expression);
        ImmutableArray<(ArgumentSyntax Argument, ITypeSymbol Type)> best = default;
        var lowest = int.MaxValue;
        foreach (var method in candidates.OfType<IMethodSymbol>())
        {
            var casts = ImmutableArray.CreateBuilder<(ArgumentSyntax, ITypeSymbol)>();
            var cost = Cost(method, list.Arguments, casts);
            if (cost >= lowest)
                continue;
            lowest = cost;
            best = casts.ToImmutable();
        }

        if (best.IsDefault)
            return;
        foreach (var (argument, type) in best)
        {
            if (!IsValueType(type) && !_rewritten.Contains(argument.Expression))
                Cast(type.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat), argument.Expression);
        }
    }

    private int Cost(
        IMethodSymbol method,
        SeparatedSyntaxList<ArgumentSyntax> arguments,
        ImmutableArray<(ArgumentSyntax, ITypeSymbol)>.Builder casts
    )
    {
        var parameters = method.Parameters;
        if (
            method.TypeParameters.Length > 0
            || arguments.Count > parameters.Length
            || parameters.Skip(arguments.Count).Any(p => !p.IsOptional && !p.IsParams)
        )
        {
            return int.MaxValue;
        }

        var cost = parameters.Length - arguments.Count;
        for (var i = 0; i < arguments.Count; i++)
        {
            var parameter = arguments[i].NameColon is { } named
                ? parameters.FirstOrDefault(p => p.Name == named.Name.Identifier.Text)
                : parameters[i];
            if (parameter is null)
                return int.MaxValue;
            if (!IsValue(arguments[i].Expression))
            {
                var conversion = _model.ClassifyConversion(arguments[i].Expression, parameter.Type);
                if (!conversion.IsImplicit)
                    return int.MaxValue;
                cost += conversion.IsIdentity ? 0 : 1;
                continue;
            }

            if (!_model.Compilation.ClassifyConversion(_value, parameter.Type).IsImplicit)
                return int.MaxValue;
            var rank = Array.IndexOf(Preferred, parameter.Type.Name);
            cost +=
                10
                * (
                    rank < 0
                        ? Preferred.Length + (parameter.Type.SpecialType == SpecialType.System_Object ? 1 : 0)
                        : rank
                );
            casts.Add((arguments[i], parameter.Type));
        }

        return cost;
    }
}
