using System.Reflection;
using System.Runtime.CompilerServices;

namespace Pipeline.Scripting.Runtime;

/// <summary>Types whose comparison, hash and text go no deeper than the type says.</summary>
/// <remarks>
/// Tuples, structs and anonymous objects compare their members, whatever these are. A chain of them is as deep as a
/// script makes it, and none of the calls is a script's.
/// </remarks>
internal static class ClosedTypes
{
    private const int MaxDepth = 64;

    private static readonly ConditionalWeakTable<Type, object> Known = [];

    public static bool Contains(Type type)
    {
        if (type.IsPrimitive || type.IsEnum || type.IsArray)
            return true;
        if (!Known.TryGetValue(type, out var isClosed))
        {
            isClosed = Look(type, 0);
            Known.AddOrUpdate(type, isClosed);
        }

        return (bool)isClosed;
    }

    private static bool Look(Type type, int depth)
    {
        if (
            type.IsPrimitive
            || type.IsEnum
            || type.IsArray
            || type.IsPointer
            || type == typeof(string)
            || !ComparesMembers(type)
        )
        {
            return true;
        }

        if (depth > MaxDepth)
            return false;
        foreach (var field in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
        {
            if (IsOpen(field.FieldType) || !Look(field.FieldType, depth + 1))
                return false;
        }

        return true;
    }

    private static bool IsOpen(Type type) => type == typeof(object) || type == typeof(ValueType) || type.IsInterface;

    /// <summary>Other classes compare by reference, or by a method of the script that checks the stack.</summary>
    private static bool ComparesMembers(Type type) =>
        type.IsValueType
            ? type.Namespace is not "System" || type.IsGenericType
            : type.FullName is { } name && name.StartsWith("System.Tuple`", StringComparison.Ordinal)
                || type.Name.StartsWith("<>f__AnonymousType", StringComparison.Ordinal);
}
