using System.Collections;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Pipeline.Scripting.Runtime;

internal sealed class ScalarWriter<T>(Action<JsonBodyWriter, T> write) : JsonTypeWriter<T>
{
    public override void Write(JsonBodyWriter writer, T value)
    {
        if (value is null)
            writer.Null();
        else
            write(writer, value);
    }
}

internal sealed class ScriptValueWriter : JsonTypeWriter<ScriptValue>
{
    public override void Write(JsonBodyWriter writer, ScriptValue value) => writer.Value(value);
}

internal sealed class BoostedWriter<T> : JsonTypeWriter<Boosted<T>>
{
    public override void Write(JsonBodyWriter writer, Boosted<T> value) =>
        JsonTypeWriter<T>.Instance.Write(writer, value.Value);
}

internal sealed class TextFormWriter<T> : JsonTypeWriter<T>
{
    public override void Write(JsonBodyWriter writer, T value)
    {
        if (value is null)
            writer.Null();
        else
            writer.String(value is Exception e ? e.Message : value.ToString());
    }
}

internal sealed class EnumWriter<T> : JsonTypeWriter<T>
    where T : struct, Enum
{
    public override void Write(JsonBodyWriter writer, T value) => writer.String(value.ToString());
}

/// <summary>Writes a nullable value type.</summary>
internal sealed class NullableWriter<T> : JsonTypeWriter<T?>
    where T : struct
{
    public override void Write(JsonBodyWriter writer, T? value)
    {
        if (value is { } present)
            JsonTypeWriter<T>.Instance.Write(writer, present);
        else
            writer.Null();
    }
}

/// <summary>Writes the value of a variable of a general type by its type at run time.</summary>
internal sealed class RuntimeTypeWriter<T> : JsonTypeWriter<T>
{
    public override void Write(JsonBodyWriter writer, T value)
    {
        if (value is null)
        {
            writer.Null();
            return;
        }

        var type = value.GetType();
        if (type == typeof(object))
        {
            writer.Raw("{}"u8);
            return;
        }

        For(type).WriteObject(writer, value);
    }
}

internal sealed class TupleWriter<T> : JsonTypeWriter<T>
{
    public override void Write(JsonBodyWriter writer, T value)
    {
        if (value is not ITuple tuple)
        {
            writer.Null();
            return;
        }

        writer.Open((byte)'[');
        for (var i = 0; i < tuple.Length; i++)
        {
            if (i > 0)
                writer.Byte((byte)',');
            writer.Any(tuple[i]);
        }

        writer.Close((byte)']');
    }
}

/// <summary>
/// Writes the items of an enumeration between brackets. Each item is a step of the script, so an endless one reaches
/// the script's limits.
/// </summary>
internal abstract class ItemsWriter<T, TItem> : JsonTypeWriter<T>
{
    protected void WriteItems(JsonBodyWriter writer, IEnumerable<TItem>? items, bool isObject)
    {
        if (items is null)
        {
            writer.Null();
            return;
        }

        writer.Open(isObject ? (byte)'{' : (byte)'[');
        var first = true;
        foreach (var item in items)
        {
            if (!first)
                writer.Byte((byte)',');
            first = false;
            ScriptGuard.Step();
            WriteItem(writer, item);
        }

        writer.Close(isObject ? (byte)'}' : (byte)']');
    }

    protected abstract void WriteItem(JsonBodyWriter writer, TItem item);
}

internal sealed class DictionaryWriter<T, TKey, TValue> : ItemsWriter<T, KeyValuePair<TKey, TValue>>
{
    public override void Write(JsonBodyWriter writer, T value) =>
        WriteItems(writer, value as IEnumerable<KeyValuePair<TKey, TValue>>, isObject: true);

    protected override void WriteItem(JsonBodyWriter writer, KeyValuePair<TKey, TValue> item)
    {
        writer.String(item.Key is ScriptValue key ? key.Text : (ScriptValue.From(item.Key)?.Text ?? ""));
        writer.Byte((byte)':');
        JsonTypeWriter<TValue>.Instance.Write(writer, item.Value);
    }
}

internal sealed class SequenceWriter<T, TItem> : ItemsWriter<T, TItem>
{
    public override void Write(JsonBodyWriter writer, T value) =>
        WriteItems(writer, value as IEnumerable<TItem>, isObject: false);

    protected override void WriteItem(JsonBodyWriter writer, TItem item) =>
        JsonTypeWriter<TItem>.Instance.Write(writer, item);
}

internal sealed class UntypedSequenceWriter<T> : ItemsWriter<T, object?>
{
    public override void Write(JsonBodyWriter writer, T value) =>
        WriteItems(
            writer,
            (value as IDictionary)?.Cast<DictionaryEntry>().Cast<object?>() ?? (value as IEnumerable)?.Cast<object?>(),
            isObject: value is IDictionary
        );

    protected override void WriteItem(JsonBodyWriter writer, object? item)
    {
        if (item is DictionaryEntry entry)
        {
            writer.String(entry.Key.ToString());
            writer.Byte((byte)':');
            writer.Any(entry.Value);
        }
        else
        {
            writer.Any(item);
        }
    }
}

/// <summary>Writes an object's public properties and fields in the order in which they are declared.</summary>
internal sealed class ObjectWriter<T> : JsonTypeWriter<T>
{
    private readonly MemberWriter[] _members = [.. JsonMembers.Of(typeof(T)).All.Select(MemberWriter.Create)];

    public override void Write(JsonBodyWriter writer, T value)
    {
        if (value is null)
        {
            writer.Null();
            return;
        }

        writer.Open((byte)'{');
        foreach (var member in _members)
            member.Write(writer, value);
        writer.Close((byte)'}');
    }

    private abstract class MemberWriter
    {
        public abstract void Write(JsonBodyWriter writer, T owner);

        public static MemberWriter Create(MemberInfo member, int index)
        {
            var type = member is PropertyInfo p ? p.PropertyType : ((FieldInfo)member).FieldType;
            return (MemberWriter)
                Activator.CreateInstance(typeof(MemberWriter<>).MakeGenericType(typeof(T), type), member, index)!;
        }
    }

    private sealed class MemberWriter<TMember> : MemberWriter
    {
        private readonly byte[] _prefix;
        private readonly Func<T, TMember> _get;

        public MemberWriter(MemberInfo member, int index)
        {
            var name = new JsonBodyWriter();
            if (index > 0)
                name.Byte((byte)',');
            name.String(member.Name);
            name.Byte((byte)':');
            _prefix = name.Written.ToArray();
            _get = member switch
            {
                PropertyInfo p when !typeof(T).IsValueType => p.GetMethod!.CreateDelegate<Func<T, TMember>>(),
                PropertyInfo p => owner => (TMember)p.GetValue(owner)!,
                _ => owner => (TMember)((FieldInfo)member).GetValue(owner)!,
            };
        }

        public override void Write(JsonBodyWriter writer, T owner)
        {
            writer.Raw(_prefix);
            JsonTypeWriter<TMember>.Instance.Write(writer, _get(owner));
        }
    }
}
