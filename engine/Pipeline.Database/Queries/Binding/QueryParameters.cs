using System.Collections;
using System.Globalization;
using Pipeline.Json;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries;

/// <summary>The parameter values of a query. Immutable.</summary>
public sealed class QueryParameters
{
    // What the words, points or commands of a text become, for each character; a term of a list.
    private const int TextBytes = 16,
        ElementBytes = 64;

    /// <summary>How many values a list may have, at most.</summary>
    public const int MaxListLength = 1_000_000;

    private readonly Dictionary<string, object?> _values;

    /// <summary>Takes values from .NET.</summary>
    /// <param name="values">
    /// By name, without the dollar sign: null, booleans, numbers, texts, dates (which become ISO 8601's form), lists of
    /// these, and <see cref="BinaryValue"/>s.
    /// </param>
    /// <exception cref="ArgumentException">A value is none of these.</exception>
    public QueryParameters(IEnumerable<KeyValuePair<string, object?>> values)
    {
        ArgumentNullException.ThrowIfNull(values);
        _values = values.ToDictionary(v => v.Key, v => Plain(v.Value, v.Key), StringComparer.Ordinal);
    }

    /// <summary>No values.</summary>
    public static QueryParameters None { get; } = new([]);

    /// <summary>Takes the properties of a JSON object.</summary>
    /// <param name="json">The object; null and no value mean none.</param>
    /// <returns>The values.</returns>
    public static QueryParameters Of(BinaryValue json)
    {
        var values = new Dictionary<string, object?>(StringComparer.Ordinal);
        foreach (var property in json.EnumerateObject())
            values.Add(property.Name, property.Value);
        return new QueryParameters(values);
    }

    /// <summary>The names of the values.</summary>
    public IEnumerable<string> Names => _values.Keys;

    /// <summary>
    /// A value: null, a bool, a long, a double, a string, a list of these, or a <see cref="BinaryValue"/> that is an
    /// object.
    /// </summary>
    internal bool TryGet(string name, out object? value) => _values.TryGetValue(name, out value);

    /// <summary>A parameter's value in the evaluator's form; null if it is missing.</summary>
    internal ScriptValue? Script(string name) =>
        !_values.TryGetValue(name, out var value) ? null
        : value is BinaryValue json ? DocumentValue.Create(json)
        : ScriptValue.From(value);

    /// <summary>
    /// About how many bytes a condition holds that is bound to a value. A query can name one parameter in many
    /// conditions.
    /// </summary>
    internal static long BoundBytes(object? value) =>
        value switch
        {
            string text => TextBytes * (long)text.Length,
            List<object?> list => list.Sum(v => ElementBytes + (v is string text ? 4L * text.Length : 0)),
            _ => 0,
        };

    private static object? Plain(object? value, string name) =>
        value switch
        {
            null or bool or long or double or string => value,
            BinaryValue json => Plain(json, name),
            sbyte or byte or short or ushort or int or uint => Convert.ToInt64(value, CultureInfo.InvariantCulture),
            ulong or float or decimal => Number(Convert.ToString(value, CultureInfo.InvariantCulture)!),
            DateTime date => date.ToString(
                date.Kind == DateTimeKind.Utc ? "yyyy-MM-dd'T'HH:mm:ss.fffffff'Z'" : "yyyy-MM-dd'T'HH:mm:ss.fffffff",
                CultureInfo.InvariantCulture
            ),
            DateTimeOffset date => date.ToString("O", CultureInfo.InvariantCulture),
            DateOnly date => date.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture),
            Guid or Enum or char or TimeSpan or Uri => value.ToString(),
            IEnumerable list => List(list.Cast<object?>().Select(v => Plain(v, name)), name),
            _ => throw new ArgumentException(
                $"The parameter '{name}' is a {value.GetType().Name}, which no query can use.",
                nameof(value)
            ),
        };

    internal static object? Plain(BinaryValue json, string name) =>
        json.Kind switch
        {
            JsonKind.Boolean => json.GetBoolean(),
            JsonKind.Number => json.IsInteger && json.TryGetInt64(out var integer) ? integer
            : json.TryGetDouble(out var number) ? number
            : null,
            JsonKind.String => json.GetString(),
            JsonKind.Array => List(Elements(json, name), name),
            JsonKind.Object => json,
            _ => null,
        };

    private static List<object?> Elements(BinaryValue json, string name)
    {
        var elements = new List<object?>(Math.Min(json.Count, MaxListLength));
        foreach (var element in json.EnumerateArray())
            elements.Add(Plain(element, name));
        return elements;
    }

    private static List<object?> List(IEnumerable<object?> values, string name)
    {
        List<object?> list = [.. values.Take(MaxListLength + 1)];
        return list.Count <= MaxListLength
            ? list
            : throw new ArgumentException(
                $"The parameter '{name}' has more than {nameof(MaxListLength)}, {MaxListLength}, values.",
                nameof(values)
            );
    }

    private static object Number(string text) =>
        long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var integer)
            ? integer
            : double.Parse(text, CultureInfo.InvariantCulture);
}
