using System.Globalization;
using System.Text.Json;

namespace Pipeline.Client.Queries;

/// <summary>Names and texts as the query language writes them.</summary>
internal static class Rql
{
    private static readonly HashSet<string> Words = new(StringComparer.OrdinalIgnoreCase)
    {
        "from",
        "index",
        "where",
        "and",
        "or",
        "not",
        "in",
        "all",
        "between",
        "group",
        "by",
        "order",
        "as",
        "select",
        "distinct",
        "include",
        "load",
        "limit",
        "offset",
        "filter",
        "filter_limit",
        "update",
        "declare",
        "with",
        "match",
        "true",
        "false",
        "null",
        "asc",
        "desc",
        "long",
        "double",
        "string",
        "alphanumeric",
        "exact",
        "boost",
        "id",
        "score",
        "random",
        "count",
        "sum",
        "key",
    };

    private static readonly HashSet<string>.AlternateLookup<ReadOnlySpan<char>> WordsOfSpans = Words.GetAlternateLookup<
        ReadOnlySpan<char>
    >();

    /// <summary>Whether a path can be written without quotes.</summary>
    public static bool IsPlain(string path) => IsPath(path, takesWords: false);

    /// <summary>
    /// Whether a path can be written without quotes behind the name of a document, where no word has a meaning.
    /// </summary>
    public static bool IsPath(string path) => IsPath(path, takesWords: true);

    /// <summary>A text in quotes.</summary>
    public static string Text(string text) =>
        $"'{text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("'", "\\'", StringComparison.Ordinal)}'";

    /// <summary>A parameter's value.</summary>
    /// <exception cref="ArgumentException">It is no text, number, truth value, date or list of these.</exception>
    public static void Write(Utf8JsonWriter json, object? value)
    {
        switch (value)
        {
            case null:
                json.WriteNullValue();
                break;
            case string text:
                json.WriteStringValue(text);
                break;
            case bool truth:
                json.WriteBooleanValue(truth);
                break;
            case DateTime time:
                json.WriteStringValue(time);
                break;
            case DateTimeOffset time:
                json.WriteStringValue(time);
                break;
            case DateOnly date:
                json.WriteStringValue(date.ToString("O", CultureInfo.InvariantCulture));
                break;
            case Guid or Enum:
                json.WriteStringValue(value.ToString());
                break;
            case byte or short or int or long or uint or ulong or float or double or decimal:
                json.WriteRawValue(
                    ((IFormattable)value).ToString(value is float or double ? "R" : null, CultureInfo.InvariantCulture)
                );
                break;
            case System.Collections.IEnumerable list:
                json.WriteStartArray();
                foreach (var item in list)
                    Write(json, item);
                json.WriteEndArray();
                break;
            default:
                throw new ArgumentException(
                    $"a parameter is a {value.GetType().Name}; it must be a text, a number, a truth value, a date or a list of these"
                );
        }
    }

    private static bool IsPath(string path, bool takesWords)
    {
        foreach (var part in path.AsSpan().Split('.'))
        {
            if (!IsName(path.AsSpan(part), takesWords))
                return false;
        }

        return true;
    }

    private static bool IsName(ReadOnlySpan<char> part, bool takesWords)
    {
        if (part.EndsWith("[]"))
            part = part[..^2];
        if (part is not [>= 'A' and <= 'Z' or >= 'a' and <= 'z' or '_', ..])
            return false;
        foreach (var letter in part[1..])
        {
            if (
                !char.IsAsciiLetterOrDigit(letter)
                && CharUnicodeInfo.GetUnicodeCategory(letter)
                    is not (
                        <= UnicodeCategory.OtherLetter
                        or UnicodeCategory.NonSpacingMark
                        or UnicodeCategory.DecimalDigitNumber
                        or UnicodeCategory.ConnectorPunctuation
                    )
            )
            {
                return false;
            }
        }

        return takesWords || !WordsOfSpans.Contains(part);
    }
}
