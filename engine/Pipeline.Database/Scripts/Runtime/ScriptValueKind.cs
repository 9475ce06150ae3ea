namespace Pipeline.Database.Scripts.Runtime;

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
