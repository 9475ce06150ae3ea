using System.Text;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Json;

namespace Pipeline.Database.Queries.Binding;

/// <summary>
/// Options of a function as a JSON object, in a parameter or a string. An unknown property is an error.
/// </summary>
internal sealed class JsonOptions
{
    private readonly QueryContext _context;
    private readonly ExpressionSyntax? _at;
    private readonly BinaryValue _json;
    private readonly List<string> _known = [];

    internal JsonOptions(QueryContext context, ExpressionSyntax? at)
    {
        (_context, _at) = (context, at);
        var value = at is null ? null : context.Value(at);
        _json = value switch
        {
            null => default,
            BinaryValue given => given,
            string text => Parse(text),
            _ => throw context.Parameter(at!, "the options are a JSON object"),
        };
    }

    internal double? Number(string name) =>
        Known(name) is not { IsNullOrMissing: false } value ? null
        : value.TryGetDouble(out var number) ? number
        : throw Wrong(name, "a number");

    internal int? Count(string name) =>
        Number(name) switch
        {
            null => null,
            double and >= 0 and <= int.MaxValue and var count => (int)count,
            _ => throw Wrong(name, "a number from 0"),
        };

    internal bool? Flag(string name) =>
        Known(name) is not { IsNullOrMissing: false } value ? null
        : value.Kind == JsonKind.Boolean ? value.GetBoolean()
        : throw Wrong(name, "true or false");

    internal string? Text(string name) =>
        Known(name) is not { IsNullOrMissing: false } value ? null
        : value.Kind == JsonKind.String ? value.GetString()
        : throw Wrong(name, "a text");

    internal IReadOnlyList<string>? Texts(string name)
    {
        if (Known(name) is not { IsNullOrMissing: false } value)
            return null;
        var texts = new List<string>();
        foreach (var element in value.EnumerateArray())
            texts.Add(element.Kind == JsonKind.String ? element.GetString()! : throw Wrong(name, "a list of texts"));
        return value.Kind == JsonKind.Array ? texts : throw Wrong(name, "a list of texts");
    }

    internal T? Choice<T>(string name)
        where T : struct, Enum =>
        Text(name) is not { } text ? null
        : Enum.TryParse(text, ignoreCase: true, out T choice) && Enum.IsDefined(choice) ? choice
        : throw Wrong(name, "one of " + string.Join(", ", Enum.GetNames<T>()));

    /// <summary>Refuses a property that nothing has asked for.</summary>
    internal void CheckAllKnown()
    {
        foreach (var property in _json.EnumerateObject())
        {
            if (!_known.Contains(property.Name, StringComparer.OrdinalIgnoreCase))
            {
                throw _context.Parameter(
                    _at!,
                    $"there is no option '{property.Name}'",
                    Spelling.Suggest(property.Name, _known)
                );
            }
        }
    }

    private BinaryValue Known(string name)
    {
        _known.Add(name);
        if (_json.TryGetProperty(name, out var value))
            return value;
        foreach (var property in _json.EnumerateObject())
        {
            // Clients write names as their languages do.
            if (name.Equals(property.Name, StringComparison.OrdinalIgnoreCase))
                return property.Value;
        }

        return default;
    }

    private BinaryValue Parse(string text)
    {
        try
        {
            return BinaryJson.Parse(Encoding.UTF8.GetBytes(text)).Root;
        }
        catch (JsonFormatException error)
        {
            throw _context.Parameter(_at!, $"the options are a JSON object: {error.Reason}");
        }
    }

    private InvalidQueryException Wrong(string name, string expected) =>
        _context.Parameter(_at!, $"the option '{name}' is {expected}");
}
