using Microsoft.CodeAnalysis;

namespace Pipeline.Scripting.Compilation;

/// <summary>Which parameters of the framework's methods decide the size of a result, and how large an element is.</summary>
internal static class MeasuredMethods
{
    private const int Reference = 8;
    private const int Unknown = 1024;
    private const int MaxFields = 4096;

    private static readonly HashSet<string> SizeNames = new(StringComparer.Ordinal)
    {
        "capacity",
        "totalWidth",
        "repeatCount",
        "initialCapacity",
    };

    /// <summary>Whether a parameter is a size, a format, or what a result grows by.</summary>
    public static bool IsMeasured(IMethodSymbol method, IParameterSymbol parameter) =>
        IsSize(method, parameter)
        || parameter is { Name: "format", Type.SpecialType: SpecialType.System_String }
        || Grows(method, parameter)
        || IsSequence(parameter.Type) && method.ContainingType.Name != nameof(Enumerable);

    /// <summary>Whether a parameter says how much a result holds.</summary>
    public static bool IsSize(IMethodSymbol method, IParameterSymbol parameter) =>
        parameter.Type.SpecialType is SpecialType.System_Int32
        && (
            SizeNames.Contains(parameter.Name)
            || method.MethodKind == MethodKind.Constructor
                && method.ContainingType.SpecialType == SpecialType.System_String
                && parameter.Name == "count"
                && method.Parameters.Length == 2
        );

    /// <summary>Whether the result grows by what a parameter holds.</summary>
    public static bool Grows(IMethodSymbol method, IParameterSymbol parameter) =>
        (
            method.ContainingType.Name == "StringBuilder"
            || method is { ContainingType.SpecialType: SpecialType.System_String, Name: "Insert" }
        )
        && parameter.Type
            is { SpecialType: SpecialType.System_String or SpecialType.System_Object }
                or IArrayTypeSymbol
                or { Name: "StringBuilder" };

    /// <summary>Whether a type is a sequence that is read lazily.</summary>
    public static bool IsSequence(ITypeSymbol? type) =>
        type
            is { TypeKind: TypeKind.Interface }
                and (
                    {
                        OriginalDefinition.SpecialType: SpecialType.System_Collections_Generic_IEnumerable_T
                            or SpecialType.System_Collections_IEnumerable
                    }
                    or { Name: "IOrderedEnumerable" }
                );

    /// <summary>Bytes that one element takes, at least.</summary>
    public static int Size(IMethodSymbol method) =>
        method.ContainingType.TypeArguments is { Length: > 0 } arguments
            ? System.Math.Max(Reference, Math.Min(MaxFields * Reference, arguments.Sum(a => Size(a))))
            : 2;

    /// <summary>Bytes that one element of a type takes, at least.</summary>
    public static int Size(ITypeSymbol type, int depth = 0) =>
        type switch
        {
            ITypeParameterSymbol => Unknown,
            { IsReferenceType: true } => Reference,
            { SpecialType: SpecialType.System_Byte or SpecialType.System_SByte or SpecialType.System_Boolean } => 1,
            { SpecialType: >= SpecialType.System_Enum and <= SpecialType.System_UIntPtr } => Reference,
            _ when depth > 8 => Unknown,
            _ => Math.Clamp(
                type.GetMembers().OfType<IFieldSymbol>().Where(f => !f.IsStatic).Sum(f => Size(f.Type, depth + 1)),
                1,
                MaxFields * Reference
            ),
        };
}
