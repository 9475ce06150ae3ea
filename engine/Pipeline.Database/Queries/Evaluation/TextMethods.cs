using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Evaluation;

/// <summary>The methods of texts and arrays, by their JavaScript names.</summary>
internal static class TextMethods
{
    /// <summary>All methods that a value may have.</summary>
    internal static readonly IReadOnlyList<string> Names =
    [
        "toUpperCase",
        "toLowerCase",
        "trim",
        "startsWith",
        "endsWith",
        "includes",
        "indexOf",
        "substring",
        "substr",
        "slice",
        "split",
        "replace",
        "replaceAll",
        "charAt",
        "concat",
        "toString",
        "toFixed",
        "map",
        "filter",
        "flatMap",
        "some",
        "every",
        "find",
        "findIndex",
        "reduce",
        "join",
        "reverse",
        "sort",
        "flat",
    ];

    internal static ScriptValue? Invoke(string text, string name, ScriptValue?[] arguments)
    {
        string first = arguments.FirstOrDefault()?.Text ?? "",
            second = arguments.ElementAtOrDefault(1)?.Text ?? "";
        switch (name)
        {
            case "toUpperCase":
                return text.ToUpperInvariant();
            case "toLowerCase":
                return text.ToLowerInvariant();
            case "trim":
                return text.Trim();
            case "startsWith":
                return text.StartsWith(first, StringComparison.Ordinal);
            case "endsWith":
                return text.EndsWith(first, StringComparison.Ordinal);
            case "includes":
                return text.Contains(first, StringComparison.Ordinal);
            case "indexOf":
                return text.IndexOf(first, StringComparison.Ordinal);
            case "slice":
                (var start, var end) = Slice(text.Length, arguments);
                return text[start..end];
            case "substring":
                int from = Math.Clamp(Whole(arguments, 0, 0), 0, text.Length),
                    to = Math.Clamp(Whole(arguments, 1, text.Length), 0, text.Length);
                return text[Math.Min(from, to)..Math.Max(from, to)];
            case "substr":
                var at = Slice(text.Length, [arguments.FirstOrDefault()]).Start;
                return text.Substring(at, Math.Clamp(Whole(arguments, 1, text.Length), 0, text.Length - at));
            case "split":
                return new ListValue(
                    (first.Length == 0 ? text.Select(c => c.ToString()) : text.Split(first))
                        .Select(p => (ScriptValue?)p)
                        .ToList()
                );
            case "replace":
                var found = text.IndexOf(first, StringComparison.Ordinal);
                return found < 0
                    ? text
                    : string.Concat(text.AsSpan(0, found), second, text.AsSpan(found + first.Length));
            case "replaceAll":
                return first.Length == 0 ? text : text.Replace(first, second, StringComparison.Ordinal);
            case "charAt":
                var index = Whole(arguments, 0, 0);
                return (uint)index < (uint)text.Length ? text[index].ToString() : "";
            case "concat":
                return text + string.Concat(arguments.Select(a => a?.Text));
            default:
                return null;
        }
    }

    /// <summary>The part that <c>slice(start, end)</c> means, negative places counted from the end.</summary>
    internal static (int Start, int End) Slice(int length, ScriptValue?[] arguments)
    {
        int Place(int index, int otherwise)
        {
            var place = Whole(arguments, index, otherwise);
            return place < 0 ? Math.Max(0, place + length) : Math.Min(place, length);
        }

        int start = Place(0, 0),
            end = Place(1, length);
        return (start, Math.Max(start, end));
    }

    private static int Whole(ScriptValue?[] arguments, int index, int otherwise) =>
        index < arguments.Length && arguments[index] is { IsNumber: true } number
            ? (int)Math.Clamp(number.Number.AsDouble(), int.MinValue / 2, int.MaxValue / 2)
            : otherwise;
}
