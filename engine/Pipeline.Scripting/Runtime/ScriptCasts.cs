using System.ComponentModel;
using System.Globalization;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // Each is the cast of its name, on values: null stays null.

/// <summary>
/// Casts and conversions of document values in an index, where null passes through every one of them.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptCasts
{
    public static ScriptValue? CastInteger(this ScriptValue? value) =>
        value is null ? null
        : value.Kind == ScriptValueKind.Integer ? value
        : ScriptMath.Truncate(value);

    public static ScriptValue? CastDecimal(this ScriptValue? value) => value is null ? null : (decimal)value;

    public static ScriptValue? CastDouble(this ScriptValue? value) => value is null ? null : (double)value;

    public static ScriptValue? CastDate(this ScriptValue? value) =>
        value is null || ScriptDates.TryRead(value, out _) ? value : (DateTime)value;

    /// <summary>
    /// A property as a .NET type, as in <c>MetadataFor(doc).Value&lt;string&gt;("@collection")</c>; null or the default
    /// if it is missing.
    /// </summary>
    public static T? Value<T>(this ScriptValue? value, string name)
    {
        var property = value.Get(name);
        if (property is null)
            return default;
        var type = Nullable.GetUnderlyingType(typeof(T)) ?? typeof(T);
        var plain = Type.GetTypeCode(type) switch
        {
            TypeCode.String => property.Text,
            TypeCode.DateTime => (DateTime)property,
            TypeCode.Boolean => (bool)property,
            TypeCode.Object when type == typeof(DateTimeOffset) => (DateTimeOffset)property,
            TypeCode.Object when type == typeof(Guid) => (Guid)property,
            TypeCode.Object => property,
            _ => Convert.ChangeType(
                ScriptValue.ToNumber(property, type.Name).AsDecimal(),
                type,
                CultureInfo.InvariantCulture
            ),
        };
        return (T)plain;
    }
}
