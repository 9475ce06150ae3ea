namespace Pipeline.Scripting.Runtime;

internal enum ScriptValueKind
{
    Object,
    Array,
    Text,
    Integer,
    Decimal,
    Double,
    Boolean,
    Time,
    Span,
    Other,
}
