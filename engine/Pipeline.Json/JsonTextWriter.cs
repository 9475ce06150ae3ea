using System.Buffers;
using System.Numerics;
using System.Runtime.Intrinsics;

namespace Pipeline.Json;

/// <summary>Writes JSON text to a buffer, from binary values and from scalars. The caller keeps the grammar.</summary>
internal ref struct JsonTextWriter
{
    private const int Chunk = 512;
    private readonly IBufferWriter<byte> _target;
    private Span<byte> _span;
    private int _used;
    private int _budget;

    internal JsonTextWriter(IBufferWriter<byte> target)
    {
        _target = target;
        _span = target.GetSpan(Chunk);
        _used = 0;
        _budget = 0;
    }

    internal void Flush()
    {
        _target.Advance(_used);
        _span = default;
        _used = 0;
    }

    internal void Raw(byte b)
    {
        if (_used == _span.Length)
            Grow(1);
        _span[_used++] = b;
    }

    internal void Raw(scoped ReadOnlySpan<byte> bytes)
    {
        if (_span.Length - _used < bytes.Length)
            Grow(bytes.Length);
        bytes.CopyTo(_span[_used..]);
        _used += bytes.Length;
    }

    /// <summary>A whole value with all it holds.</summary>
    internal void Value(BinaryValue value)
    {
        // Every value takes at least one byte, so a sound document cannot hold more values than bytes. A document with
        // shared parts would.
        _budget = value.Data.Length;
        Value(value, 0);
    }

    private void Value(BinaryValue value, int depth)
    {
        if (--_budget < 0 || depth > 1_000)
            BinaryLayout.Corrupt(0, "values that hold one another without end");
        switch (value.Kind)
        {
            case JsonKind.Null:
                Raw("null"u8);
                break;
            case JsonKind.Boolean:
                Raw(value.GetBoolean() ? "true"u8 : "false"u8);
                break;
            case JsonKind.Number:
                Number(value);
                break;
            case JsonKind.String:
                value.TryGetUtf8(out var utf8);
                String(utf8);
                break;
            case JsonKind.Array:
                Raw((byte)'[');
                byte separator = 0;
                foreach (var element in value.EnumerateArray())
                {
                    if (separator != 0)
                        Raw(separator);
                    separator = (byte)',';
                    Value(element, depth + 1);
                }

                Raw((byte)']');
                break;
            case JsonKind.Object:
                Raw((byte)'{');
                Properties(value, first: true, depth + 1);
                Raw((byte)'}');
                break;
        }
    }

    /// <summary>The properties of an object without its braces, leaving out <paramref name="except"/>.</summary>
    internal void Properties(BinaryValue value, bool first, scoped ReadOnlySpan<byte> except)
    {
        _budget = value.Data.Length;
        foreach (var property in value.EnumerateObject())
        {
            var name = property.NameUtf8;
            if (!except.IsEmpty && name.SequenceEqual(except))
                continue;
            Property(property, name, ref first, 1);
        }
    }

    private void Properties(BinaryValue value, bool first, int depth)
    {
        foreach (var property in value.EnumerateObject())
            Property(property, property.NameUtf8, ref first, depth);
    }

    private void Property(BinaryProperty property, scoped ReadOnlySpan<byte> name, ref bool first, int depth)
    {
        if (!first)
            Raw((byte)',');
        first = false;
        String(name);
        Raw((byte)':');
        Value(property.Value, depth);
    }

    private void Number(BinaryValue value)
    {
        value.TryReadNumber(out var mantissa, out var scale, out var text);
        if (!text.IsEmpty)
        {
            Raw(text);
            return;
        }

        if (_span.Length - _used < 32)
            Grow(32);
        _used += BinaryValue.FormatScaled(mantissa, scale, _span[_used..]);
    }

    /// <summary>Writes a string in quotes, with only the escapes that JSON requires.</summary>
    internal void String(scoped ReadOnlySpan<byte> utf8)
    {
        Raw((byte)'"');
        while (true)
        {
            var clean = CleanLength(utf8);
            Raw(utf8[..clean]);
            if (clean == utf8.Length)
                break;
            Escape(utf8[clean]);
            utf8 = utf8[(clean + 1)..];
        }

        Raw((byte)'"');
    }

    /// <summary>How many bytes from the start need no escape.</summary>
    internal static int CleanLength(ReadOnlySpan<byte> utf8)
    {
        var i = 0;
        for (; i + Vector128<byte>.Count <= utf8.Length; i += Vector128<byte>.Count)
        {
            var v = Vector128.Create(utf8.Slice(i, Vector128<byte>.Count));
            var hit =
                Vector128.Equals(v, Vector128.Create((byte)'"'))
                | Vector128.Equals(v, Vector128.Create((byte)'\\'))
                | Vector128.LessThan(v, Vector128.Create((byte)0x20));
            var mask = hit.ExtractMostSignificantBits();
            if (mask != 0)
                return i + BitOperations.TrailingZeroCount(mask);
        }

        for (; i < utf8.Length; i++)
        {
            var b = utf8[i];
            if (b is (byte)'"' or (byte)'\\' or < 0x20)
                return i;
        }

        return i;
    }

    private void Escape(byte b)
    {
        switch (b)
        {
            case (byte)'"':
                Raw("\\\""u8);
                break;
            case (byte)'\\':
                Raw("\\\\"u8);
                break;
            case (byte)'\n':
                Raw("\\n"u8);
                break;
            case (byte)'\r':
                Raw("\\r"u8);
                break;
            case (byte)'\t':
                Raw("\\t"u8);
                break;
            case (byte)'\b':
                Raw("\\b"u8);
                break;
            case (byte)'\f':
                Raw("\\f"u8);
                break;
            default:
                Raw("\\u00"u8);
                Raw("0123456789abcdef"u8[b >> 4]);
                Raw("0123456789abcdef"u8[b & 0xF]);
                break;
        }
    }

    private void Grow(int needed)
    {
        _target.Advance(_used);
        _used = 0;
        _span = _target.GetSpan(Math.Max(needed, Chunk));
    }
}
