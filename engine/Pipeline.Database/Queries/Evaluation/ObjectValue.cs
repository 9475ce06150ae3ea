using System.Text;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Evaluation;

/// <summary>An object that a query makes, its properties in the order in which they were set.</summary>
internal sealed class ObjectValue : ScriptValue
{
    private readonly List<KeyValuePair<string, ScriptValue?>> _properties = [];

    internal override ScriptValueKind Kind => ScriptValueKind.Object;

    internal override string Text => JsonBodyWriter.ToText(this);

    internal override object Plain => _properties.ToDictionary(p => p.Key, p => p.Value?.Plain);

    /// <summary>Sets a property; one of the same name keeps its place.</summary>
    internal void Set(string name, ScriptValue? value)
    {
        var index = _properties.FindIndex(p => p.Key == name);
        if (index < 0)
            _properties.Add(new(name, value));
        else
            _properties[index] = new(name, value);
    }

    internal override ScriptValue? Property(ReadOnlySpan<byte> utf8Name)
    {
        var name = Encoding.UTF8.GetString(utf8Name);
        return _properties.Find(p => p.Key == name).Value;
    }

    internal override IEnumerable<ScriptValue?> Elements() => _properties.Select(p => p.Value);

    internal override IEnumerable<KeyValuePair<string, ScriptValue?>> Properties() => _properties;

    internal override void WriteJson(JsonBodyWriter writer)
    {
        writer.Open((byte)'{');
        for (var i = 0; i < _properties.Count; i++)
        {
            if (i > 0)
                writer.Raw(","u8);
            writer.String(_properties[i].Key);
            writer.Raw(":"u8);
            writer.Value(_properties[i].Value);
        }

        writer.Close((byte)'}');
    }
}
