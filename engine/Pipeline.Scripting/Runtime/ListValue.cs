using System.Collections;

namespace Pipeline.Scripting.Runtime;

/// <summary>A .NET sequence as a script's value.</summary>
internal sealed class ListValue(IEnumerable items) : ScriptValue
{
    private readonly IList _items = items as IList ?? items.Cast<object?>().ToList();

    internal override ScriptValueKind Kind => ScriptValueKind.Array;

    internal override string Text => JsonBodyWriter.ToText(this);

    internal override object Plain => _items;

    internal override int ElementCount => _items.Count;

    internal override ScriptValue? Element(int index) =>
        index >= 0 && index < _items.Count ? From(_items[index]) : null;

    internal override IEnumerable<ScriptValue?> Elements()
    {
        foreach (var item in _items)
        {
            ScriptGuard.Step();
            yield return From(item);
        }
    }

    internal override void WriteJson(JsonBodyWriter writer) => writer.Any(_items);
}
