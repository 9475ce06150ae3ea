using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Results;

/// <summary>A document some of whose properties an index has stored; stored properties take precedence.</summary>
internal sealed class StoredValue(ScriptValue stored, ScriptValue document) : ScriptValue
{
    internal override ScriptValueKind Kind => ScriptValueKind.Object;

    internal override string Text => document.Text;

    internal override object Plain => document.Plain;

    internal override ScriptValue? Property(ReadOnlySpan<byte> utf8Name) =>
        stored.Property(utf8Name) ?? document.Property(utf8Name);

    internal override IEnumerable<ScriptValue?> Elements() => document.Elements();

    internal override IEnumerable<KeyValuePair<string, ScriptValue?>> Properties() => document.Properties();

    internal override void WriteJson(JsonBodyWriter writer) => document.WriteJson(writer);
}
