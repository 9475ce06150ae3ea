namespace Pipeline.Scripting.Runtime;

internal sealed class EntryScalarWriter<T>(Action<IndexEntryWriter, T> write) : EntryTypeWriter<T>
{
    public override void Write(IndexEntryWriter writer, T value) => write(writer, value);
}

internal sealed class EntryTextWriter<T> : EntryTypeWriter<T>
{
    public override void Write(IndexEntryWriter writer, T value) => writer.Text(value?.ToString());
}

internal sealed class EntryNullableWriter<T> : EntryTypeWriter<T?>
    where T : struct
{
    public override void Write(IndexEntryWriter writer, T? value)
    {
        if (value is { } present)
            EntryTypeWriter<T>.Instance.Write(writer, present);
        else
            writer.Null();
    }
}

internal sealed class EntryBoostedWriter<T> : EntryTypeWriter<Boosted<T>>
{
    public override void Write(IndexEntryWriter writer, Boosted<T> value)
    {
        EntryTypeWriter<T>.Instance.Write(writer, value.Value);
        writer.Boost(value.Factor);
    }
}

internal sealed class EntryRuntimeWriter<T> : EntryTypeWriter<T>
{
    public override void Write(IndexEntryWriter writer, T value)
    {
        if (value is not null && value.GetType() == typeof(object))
            writer.Json<object>(value);
        else
            writer.Any(value);
    }
}

/// <summary>Each element is a value of the field.</summary>
internal sealed class EntrySequenceWriter<T, TItem> : EntryTypeWriter<T>
{
    public override void Write(IndexEntryWriter writer, T value)
    {
        if (value is null)
        {
            writer.Null();
            return;
        }

        writer.Enter();
        foreach (var item in value as IEnumerable<TItem> ?? ((System.Collections.IEnumerable)value).Cast<TItem>())
        {
            ScriptGuard.Step();
            EntryTypeWriter<TItem>.Instance.Write(writer, item);
        }

        writer.Leave();
    }
}

internal sealed class EntryJsonWriter<T> : EntryTypeWriter<T>
{
    public override void Write(IndexEntryWriter writer, T value)
    {
        if (value is null)
            writer.Null();
        else
            writer.Json(value);
    }
}

/// <summary>Writes a document's value by its kind, a text with the bytes of the document.</summary>
internal sealed class EntryValueWriter : EntryTypeWriter<ScriptValue?>
{
    public override void Write(IndexEntryWriter writer, ScriptValue? value)
    {
        switch (value?.Kind)
        {
            case null:
                writer.Null();
                break;
            case ScriptValueKind.Text when value is DocumentValue stored && stored.TryGetUtf8(out var utf8):
                writer.Text(utf8);
                break;
            case ScriptValueKind.Integer or ScriptValueKind.Decimal or ScriptValueKind.Double:
                writer.Number(value.Number);
                break;
            case ScriptValueKind.Boolean:
                writer.Boolean(value.Boolean);
                break;
            case ScriptValueKind.Array:
                writer.Enter();
                foreach (var element in value.Elements())
                    Write(writer, element);
                writer.Leave();
                break;
            case ScriptValueKind.Object:
                writer.Json<ScriptValue>(value);
                break;
            case ScriptValueKind.Other:
                writer.Any(value.Plain);
                break;
            default:
                writer.Text(value.Text);
                break;
        }
    }
}
