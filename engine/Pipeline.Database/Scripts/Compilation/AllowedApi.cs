using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Pipeline.Database.Scripts.Compilation;

/// <summary>
/// What scripts may use: an allow-list of namespaces and types, looked up through the semantic model for every name and call, so that
/// aliases, inference and extension methods do not get around it. A fence against accidents and easy harm, not a sandbox for code of enemies.
/// </summary>
internal sealed class AllowedApi(SemanticModel model, TextSpan user, List<(TextSpan Span, string Code, string Message, string? Suggestion)> errors)
{
    private static readonly HashSet<string> Namespaces = new(StringComparer.Ordinal)
    {
        "System.Collections", "System.Collections.Generic", "System.Collections.Immutable", "System.Collections.ObjectModel",
        "System.Collections.Specialized", "System.Globalization", "System.Text", "System.Text.RegularExpressions",
    };

    private static readonly HashSet<string> Types = new(StringComparer.Ordinal)
    {
        "System.Object", "System.String", "System.Boolean", "System.Char", "System.SByte", "System.Byte", "System.Int16", "System.UInt16",
        "System.Int32", "System.UInt32", "System.Int64", "System.UInt64", "System.Int128", "System.UInt128", "System.Single", "System.Double",
        "System.Half", "System.Decimal", "System.Void", "System.Nullable", "System.Enum", "System.Array", "System.ValueType", "System.Tuple",
        "System.ValueTuple", "System.DateTime", "System.DateTimeOffset", "System.DateOnly", "System.TimeOnly", "System.TimeSpan",
        "System.DateTimeKind", "System.DayOfWeek", "System.TimeZoneInfo", "System.Guid", "System.Uri", "System.UriKind", "System.UriBuilder",
        "System.Version", "System.Math", "System.MathF", "System.MidpointRounding", "System.Convert", "System.Base64FormattingOptions",
        "System.BitConverter", "System.HashCode", "System.Index", "System.Range", "System.Span", "System.ReadOnlySpan", "System.MemoryExtensions",
        "System.StringComparison", "System.StringComparer", "System.StringSplitOptions", "System.StringNormalizationExtensions",
        "System.Func", "System.Action", "System.Predicate", "System.Comparison", "System.Converter", "System.IComparable", "System.IEquatable",
        "System.IFormattable", "System.IFormatProvider", "System.IDisposable", "System.FormattableString", "System.ParamArrayAttribute",
        "System.Exception", "System.ArgumentException", "System.ArgumentNullException", "System.ArgumentOutOfRangeException",
        "System.InvalidOperationException", "System.InvalidCastException", "System.FormatException", "System.OverflowException",
        "System.DivideByZeroException", "System.NotSupportedException", "System.NotImplementedException", "System.NullReferenceException",
        "System.IndexOutOfRangeException", "System.ArithmeticException", "System.ApplicationException", "System.TimeoutException",
        "System.Linq.Enumerable", "System.Linq.IGrouping", "System.Linq.ILookup", "System.Linq.Lookup", "System.Linq.IOrderedEnumerable",
        "System.Security.Cryptography.MD5", "System.Security.Cryptography.SHA1", "System.Security.Cryptography.SHA256",
        "System.Security.Cryptography.SHA384", "System.Security.Cryptography.SHA512", "System.Security.Cryptography.HMACSHA256",
        "System.Net.WebUtility", "System.Collections.Generic.KeyNotFoundException",
        "Pipeline.Database.Scripts.Runtime.ScriptValue", "Pipeline.Database.Scripts.Runtime.ScriptValueExtensions",
        "Pipeline.Database.Scripts.Runtime.ScriptSequenceExtensions", "Pipeline.Database.Scripts.Runtime.ScriptMath",
        "Pipeline.Database.Scripts.Runtime.ScriptConvert", "Pipeline.Database.Scripts.Runtime.ScriptString",
        "Pipeline.Database.Scripts.Runtime.ScriptRegex", "Pipeline.Database.Scripts.Runtime.ScriptMatches", "Pipeline.Database.Scripts.Runtime.ScriptSequence",
        "Pipeline.Database.Scripts.Runtime.TransformProgram", "Pipeline.Database.Scripts.Runtime.IndexProgram",
        "Pipeline.Database.Scripts.Runtime.IndexDocuments", "Pipeline.Database.Scripts.Runtime.IndexResults", "Pipeline.Database.Scripts.Runtime.ScriptCasts",
        "Pipeline.Database.Scripts.Runtime.CreatedField", "Pipeline.Database.Scripts.Runtime.CreateFieldOptions", "Pipeline.Database.Scripts.Runtime.FieldStorage",
        "Pipeline.Database.Scripts.Runtime.FieldIndexing", "Pipeline.Database.Scripts.Runtime.FieldTermVector", "Pipeline.Database.Scripts.Runtime.Boosted", "Pipeline.Database.Scripts.Runtime.ScriptBoosts",
        "Pipeline.Database.Scripts.Runtime.SpatialField",
    };

    // Of types that are allowed, what leads out of them.
    private static readonly HashSet<string> RefusedMembers = new(StringComparer.Ordinal)
    {
        "System.Object.GetType", "System.Object.MemberwiseClone", "System.Exception.TargetSite", "System.Exception.GetType",
        "System.String.Create", "System.String.Intern", "System.Globalization.CultureInfo.DefaultThreadCurrentCulture", "System.Globalization.CultureInfo.DefaultThreadCurrentUICulture",
        "System.Globalization.CultureInfo.CurrentCulture", "System.Globalization.CultureInfo.CurrentUICulture", "System.Globalization.CultureInfo.ClearCachedData",
        "System.TimeZoneInfo.ClearCachedData", "System.Text.Encoding.RegisterProvider", "System.Array.CreateInstance", "System.Enum.GetUnderlyingType", "System.Convert.ChangeType", "System.Delegate.DynamicInvoke",
    };

    private static readonly HashSet<string> AllowedMembers = new(StringComparer.Ordinal) { "System.Environment.NewLine" };

    public void Check(SyntaxNode root)
    {
        foreach (var node in root.DescendantNodes().Where(n => user.Contains(n.Span)))
        {
            switch (node)
            {
                case UnsafeStatementSyntax or FixedStatementSyntax or PointerTypeSyntax or FunctionPointerTypeSyntax or
                    StackAllocArrayCreationExpressionSyntax or ImplicitStackAllocArrayCreationExpressionSyntax:
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
                case FieldDeclarationSyntax field when !field.Modifiers.Any(SyntaxKind.ConstKeyword) &&
                                                       !(field.Modifiers.Any(SyntaxKind.StaticKeyword) && field.Modifiers.Any(SyntaxKind.ReadOnlyKeyword)) &&
                                                       field.Parent is ClassDeclarationSyntax { Parent: not TypeDeclarationSyntax }:
                    errors.Add((field.Span, "SCRIPT004", "a helper's field must be 'const' or 'static readonly': runs share nothing", null));
                    break;
                case SimpleNameSyntax name when name is not IdentifierNameSyntax { IsVar: true }:
                    Symbol(name, model.GetSymbolInfo(name).Symbol);
                    break;
                case ImplicitObjectCreationExpressionSyntax creation:
                    Symbol(creation, model.GetSymbolInfo(creation).Symbol);
                    break;
                case ElementAccessExpressionSyntax access:
                    Symbol(access, model.GetSymbolInfo(access).Symbol);
                    break;
            }
        }
    }

    private void Refuse(SyntaxNode node, string message) => errors.Add((node.Span, "SCRIPT002", message, null));

    private void Symbol(SyntaxNode node, ISymbol? symbol)
    {
        switch (symbol)
        {
            case IMethodSymbol { MethodKind: not MethodKind.LocalFunction and not MethodKind.AnonymousFunction } or IPropertySymbol or IFieldSymbol or IEventSymbol:
                var owner = (symbol as IMethodSymbol)?.ReducedFrom?.ContainingType ?? symbol.ContainingType;
                var full = Name(owner) + "." + symbol.Name;
                if (AllowedMembers.Contains(full))
                    return;
                if (RefusedMembers.Contains(full) || !IsAllowed(owner) || ReachesMemory(symbol))
                    Add(node, IsAllowed(owner) || symbol is IMethodSymbol { MethodKind: MethodKind.Constructor } ? symbol : owner);
                break;
            case INamedTypeSymbol type when !IsAllowed(type) && !IsPrefixOfAllowed(node):
                Add(node, type);
                break;
        }
    }

    /// <summary>Whether a .NET method takes an address or a reference, or creates what a text names. Such a call could read or write memory outside the script.</summary>
    private bool ReachesMemory(ISymbol symbol) =>
        symbol is IMethodSymbol { OriginalDefinition: { } method } && !SymbolEqualityComparer.Default.Equals(method.ContainingAssembly, model.Compilation.Assembly)
        && (method.Parameters.Any(p => p.RefKind == RefKind.Ref || p.Type is IPointerTypeSymbol or IFunctionPointerTypeSymbol || p.Type.SpecialType is SpecialType.System_IntPtr or SpecialType.System_UIntPtr)
            || method is { Name: "Create", IsStatic: true, Parameters: [{ Type.SpecialType: SpecialType.System_String }, ..] } && method.ContainingNamespace.Name == "Cryptography");

    /// <summary><c>Environment</c> in <c>Environment.NewLine</c> is judged with its member.</summary>
    private static bool IsPrefixOfAllowed(SyntaxNode node) =>
        node.Parent is MemberAccessExpressionSyntax { Name.Identifier.Text: "NewLine" } access && access.Expression == node ||
        node.Parent is MemberAccessExpressionSyntax { Parent: MemberAccessExpressionSyntax { Name.Identifier.Text: "NewLine" } outer } inner &&
        outer.Expression == inner && inner.Name == node;

    private void Add(SyntaxNode node, ISymbol symbol)
    {
        var shown = symbol is INamedTypeSymbol type
            ? Name(type)
            : symbol is IMethodSymbol { MethodKind: MethodKind.Constructor } ? Name(symbol.ContainingType) : $"{Name(symbol.ContainingType)}.{symbol.Name}";
        if (errors.Exists(e => e.Code == "SCRIPT002" && e.Span.OverlapsWith(node.Span)) || errors.Exists(e => e.Message.StartsWith($"'{shown}'", StringComparison.Ordinal) && SameLine(e.Span, node.Span)))
            return;
        errors.Add((node.Span, "SCRIPT002", $"'{shown}' may not be used in a script", Suggest(shown)));
    }

    private bool SameLine(TextSpan a, TextSpan b)
    {
        var lines = model.SyntaxTree.GetText().Lines;
        return lines.GetLineFromPosition(a.Start).LineNumber == lines.GetLineFromPosition(b.Start).LineNumber;
    }

    private static string? Suggest(string name) => name switch
    {
        "System.Console" => "to look at a value, send it",
        "System.Random" => "a transform must give the same messages every time: derive the value from the document",
        _ when name.StartsWith("System.Text.Json", StringComparison.Ordinal) => "send a value as it is, it is written as JSON",
        _ when name.StartsWith("System.Threading", StringComparison.Ordinal) => "a run has one thread",
        _ => null,
    };

    private static string Name(INamedTypeSymbol type)
    {
        var outer = type.ContainingType;
        if (outer is not null)
            return Name(outer) + "." + type.Name;
        return type.ContainingNamespace is { IsGlobalNamespace: false } space ? space.ToDisplayString() + "." + type.Name : type.Name;
    }

    private bool IsAllowed(INamedTypeSymbol? type)
    {
        if (type is null || type.IsAnonymousType || type.IsTupleType || type.TypeKind is TypeKind.Error or TypeKind.Dynamic)
            return true;
        // Every mention is rewritten to ScriptRegex; were one left, it could run for ever.
        if (Name(type) == ValueRewriter.RegexName)
            return false;
        while (type.ContainingType is { } outer)
            type = outer;
        if (SymbolEqualityComparer.Default.Equals(type.ContainingAssembly, model.Compilation.Assembly))
            return true;
        var name = Name(type);
        if (Types.Contains(name))
            return true;
        return type.ContainingNamespace.ToDisplayString() is var space && Namespaces.Contains(space);
    }
}
