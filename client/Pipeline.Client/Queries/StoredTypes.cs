using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Pipeline.Client.Queries;

/// <summary>How values of C#'s types are stored, and whether the database has their order.</summary>
[RequiresUnreferencedCode("Serializes values of any class.")]
[RequiresDynamicCode("Serializes values of any class.")]
internal static class StoredTypes
{
    /// <summary>
    /// How values of a type are ordered, as the text of a query says it; <see langword="null"/> if they are not stored
    /// in their order.
    /// </summary>
    public static string? FormOf(Type type, DocumentStoreOptions options)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        if (type.IsEnum)
        {
            return
                Enum.GetValuesAsUnderlyingType(type) is { Length: > 0 } values
                && IsText(Enum.ToObject(type, values.GetValue(0)!), options)
                ? null
                : " as long";
        }

        if (type == typeof(string) || type == typeof(bool) || type == typeof(char) || HasOrder(type))
            return "";
        return Type.GetTypeCode(type) switch
        {
            TypeCode.Single or TypeCode.Double or TypeCode.Decimal or TypeCode.UInt64 => " as double",
            TypeCode.SByte
            or TypeCode.Byte
            or TypeCode.Int16
            or TypeCode.UInt16
            or TypeCode.Int32
            or TypeCode.UInt32
            or TypeCode.Int64 => " as long",
            _ => null,
        };
    }

    /// <summary>Whether a value is a text in a document.</summary>
    public static bool IsText(object value, DocumentStoreOptions options) =>
        value is string
        || FormOf(value, options.Serializer) switch
        {
            Form.Text => true,
            Form.Other => false,
            _ => JsonSerializer.SerializeToElement(value, value.GetType(), options.Serializer).ValueKind
                == JsonValueKind.String,
        };

    /// <summary>The value as the member has it: the C# compiler compares the numbers of enums and characters.</summary>
    public static object Typed(Type type, object value) =>
        type.IsEnum && !value.GetType().IsEnum ? Enum.ToObject(type, value)
        : type == typeof(char) && value is int code ? (char)code
        : value;

    /// <summary>Whether the texts of a type have the order of its values.</summary>
    public static bool HasOrder(Type type) => IsTime(type) || type == typeof(TimeOnly) || type == typeof(Guid);

    /// <summary>
    /// Whether case matters for a text. Texts without case are compared exactly, so that they are never taken for
    /// dates.
    /// </summary>
    public static bool HasCase(string text) =>
        text.EnumerateRunes().Any(r => Rune.ToLowerInvariant(r) != r || Rune.ToUpperInvariant(r) != r);

    /// <summary>
    /// How the serializer's own converters write a value. Whether others write a text, only a try can tell.
    /// </summary>
    private static Form FormOf(object value, JsonSerializerOptions serializer)
    {
        if (
            value is Enum
            || serializer.GetTypeInfo(value.GetType()).Converter.GetType().Assembly != typeof(JsonSerializer).Assembly
        )
        {
            return Form.Unknown;
        }

        return value switch
        {
            bool => Form.Other,
            sbyte or byte or short or ushort or int or uint or long or ulong or float or double or decimal =>
                serializer.NumberHandling == JsonNumberHandling.Strict ? Form.Other : Form.Unknown,
            char or DateTime or DateTimeOffset or DateOnly or TimeOnly or Guid => Form.Text,
            _ => Form.Unknown,
        };
    }

    private enum Form
    {
        Unknown,
        Text,
        Other,
    }

    /// <summary>Whether values are indexed as times.</summary>
    public static bool IsTime(Type type) =>
        type == typeof(DateTime) || type == typeof(DateTimeOffset) || type == typeof(DateOnly);
}
