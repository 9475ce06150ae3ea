using System.Collections;
using System.Globalization;
using System.Text;

namespace Pipeline.Scripting.Runtime;

/// <summary>A .NET object that JSON has no kind for: a date, a dictionary, an anonymous object, an id.</summary>
internal sealed class WrappedValue(object value) : ScriptValue
{
    internal override ScriptValueKind Kind =>
        value switch
        {
            DateTime or DateTimeOffset or DateOnly => ScriptValueKind.Time,
            TimeSpan => ScriptValueKind.Span,
            IDictionary => ScriptValueKind.Object,
            _ => ScriptValueKind.Other,
        };

    internal override string Text =>
        value switch
        {
            DateTime t => t.ToString("o", CultureInfo.InvariantCulture),
            DateTimeOffset t => t.ToString("o", CultureInfo.InvariantCulture),
            DateOnly d => d.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture),
            TimeSpan s => s.ToString("c", CultureInfo.InvariantCulture),
            TimeOnly t => t.ToString("o", CultureInfo.InvariantCulture),
            Guid or Enum => value.ToString()!,
            IFormattable f => f.ToString(null, CultureInfo.InvariantCulture),
            IDictionary => JsonBodyWriter.ToText(this),
            _ => value.ToString() ?? "",
        };

    internal override object Plain => value;

    internal override ScriptValue? Property(ReadOnlySpan<byte> utf8Name)
    {
        var name = Encoding.UTF8.GetString(utf8Name);
        if (value is IDictionary dictionary)
            return dictionary.Contains(name) ? From(dictionary[name]) : null;
        // Only data: a script's own objects and plain values, never a way into the runtime's types.
        return
            value.GetType().IsCollectible
            || value is DateTime or DateTimeOffset or DateOnly or TimeOnly or TimeSpan or Guid or Uri
            ? From(JsonMembers.Of(value.GetType()).Get(value, name))
            : null;
    }

    internal override IEnumerable<ScriptValue?> Elements() =>
        value is IDictionary d ? d.Values.Cast<object?>().Select(From) : [];

    internal override IEnumerable<KeyValuePair<string, ScriptValue?>> Properties()
    {
        if (value is not IDictionary dictionary)
            yield break;
        foreach (DictionaryEntry entry in dictionary)
            yield return new(entry.Key.ToString()!, From(entry.Value));
    }

    internal override void WriteJson(JsonBodyWriter writer) => writer.Any(value);
}
