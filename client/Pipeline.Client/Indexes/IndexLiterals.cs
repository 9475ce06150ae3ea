using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Pipeline.Client.Indexes;

/// <summary>Values as C# writes them.</summary>
[RequiresUnreferencedCode("Writes enums as the serializer does.")]
[RequiresDynamicCode("Writes enums as the serializer does.")]
internal sealed class IndexLiterals(DocumentStoreOptions options)
{
    private static readonly HashSet<string> Words = new(
        (
            "abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else enum event explicit extern false finally fixed float for foreach goto if implicit in int "
            + "interface internal is lock long namespace new null object operator out override params private protected public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw "
            + "true try typeof uint ulong unchecked unsafe ushort using virtual void volatile while from where select group into orderby join let on equals by ascending descending"
        ).Split(' '),
        StringComparer.Ordinal
    );

    /// <summary>Whether a name can be written without quotes.</summary>
    public static bool IsName(string name) =>
        name.Length > 0
        && !char.IsAsciiDigit(name[0])
        && name.All(c => c == '_' || char.IsLetterOrDigit(c))
        && !Words.Contains(name);

    /// <summary>A text in quotes.</summary>
    public static string Text(string text) => $"\"{string.Concat(text.Select(Escaped))}\"";

    /// <summary>A character within a text.</summary>
    public static string Escaped(char c) =>
        c switch
        {
            '"' => "\\\"",
            '\\' => "\\\\",
            _ when char.IsControl(c) || char.IsSurrogate(c) || c is '\u2028' or '\u2029' => string.Create(
                CultureInfo.InvariantCulture,
                $"\\u{(int)c:x4}"
            ),
            _ => c.ToString(),
        };

    /// <summary>A type's name.</summary>
    public static string Keyword(Type type) =>
        Type.GetTypeCode(type) switch
        {
            TypeCode.SByte => "sbyte",
            TypeCode.Byte => "byte",
            TypeCode.Int16 => "short",
            TypeCode.UInt16 => "ushort",
            TypeCode.Int32 => "int",
            TypeCode.UInt32 => "uint",
            TypeCode.Int64 => "long",
            TypeCode.UInt64 => "ulong",
            TypeCode.String => "string",
            TypeCode.Decimal => "decimal",
            TypeCode.Double => "double",
            TypeCode.Single => "float",
            _ => type.Name,
        };

    /// <summary>A value.</summary>
    /// <returns>Whether C# has a literal for it, or an index can make it.</returns>
    public bool TryWrite(object? value, out string text)
    {
        text = value switch
        {
            null => "null",
            string s => Text(s),
            char c => $"'{(c == '\'' ? "\\'" : c == '"' ? "\"" : Escaped(c))}'",
            bool b => b ? "true" : "false",
            Enum e => e.GetType().Namespace == "System" ? $"{e.GetType().Name}.{e}" : Enumerated(e),
            decimal d => d.ToString(CultureInfo.InvariantCulture) + "m",
            double d when double.IsFinite(d) => d.ToString("R", CultureInfo.InvariantCulture) + "d",
            float f when float.IsFinite(f) => f.ToString("R", CultureInfo.InvariantCulture) + "f",
            long l => l.ToString(CultureInfo.InvariantCulture) + "L",
            ulong l => l.ToString(CultureInfo.InvariantCulture) + "UL",
            int or short or sbyte or byte or ushort => ((IFormattable)value).ToString(
                null,
                CultureInfo.InvariantCulture
            ),
            uint u => u.ToString(CultureInfo.InvariantCulture) + "u",
            DateTime t => string.Create(
                CultureInfo.InvariantCulture,
                $"new DateTime({t.Ticks}L, DateTimeKind.{t.Kind})"
            ),
            DateTimeOffset t => string.Create(
                CultureInfo.InvariantCulture,
                $"new DateTimeOffset({t.Ticks}L, new TimeSpan({t.Offset.Ticks}L))"
            ),
            DateOnly d => string.Create(CultureInfo.InvariantCulture, $"new DateTime({d.Year}, {d.Month}, {d.Day})"),
            TimeSpan t => string.Create(CultureInfo.InvariantCulture, $"new TimeSpan({t.Ticks}L)"),
            Guid g => Text(g.ToString("D")),
            IEnumerable list => List(list),
            _ => "",
        };
        return text.Length > 0;
    }

    private string Enumerated(Enum value)
    {
        var json = JsonSerializer.SerializeToElement(value, value.GetType(), options.Serializer);
        return json.ValueKind == JsonValueKind.String ? Text(json.GetString()!) : json.GetRawText();
    }

    private string List(IEnumerable list)
    {
        var items = new StringBuilder();
        foreach (var item in list)
        {
            if (item is null || !TryWrite(item, out var text))
                return "";
            items.Append(items.Length == 0 ? "" : ", ").Append(text);
        }

        return items.Length == 0 ? "new string[0]" : $"new[] {{ {items} }}";
    }
}
