using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using System.Text;

namespace Pipeline.Json;

/// <summary>One value within a <see cref="BinaryJson"/>: a place in its bytes, nothing copied.</summary>
/// <remarks>
/// The default value is "no value" (<see cref="JsonKind.None"/>); looking something up in it, or in a value of a kind
/// that has no parts, gives "no value" again, so that paths can be followed without checks. Any member may throw
/// <see cref="BinaryJsonCorruptException"/> where the bytes are damaged.
/// </remarks>
public readonly partial struct BinaryValue
{
    private readonly ReadOnlyMemory<byte> _data;
    private readonly int _offset;

    internal BinaryValue(ReadOnlyMemory<byte> data, int offset)
    {
        _data = data;
        _offset = offset;
    }

    /// <summary>The kind of value.</summary>
    public JsonKind Kind
    {
        get
        {
            if (_offset == 0)
                return JsonKind.None;
            int tag = BinaryLayout.Tag(_data.Span, _offset);
            return tag switch
            {
                BinaryLayout.Null => JsonKind.Null,
                BinaryLayout.False or BinaryLayout.True => JsonKind.Boolean,
                >= BinaryLayout.Int8 and <= BinaryLayout.NumberText => JsonKind.Number,
                BinaryLayout.Array => JsonKind.Array,
                BinaryLayout.Object or BinaryLayout.WideObject => JsonKind.Object,
                BinaryLayout.LongString or >= BinaryLayout.FirstShortString => JsonKind.String,
                >= BinaryLayout.FirstTinyInt => JsonKind.Number,
                _ => ThrowTag<JsonKind>(_offset),
            };
        }
    }

    /// <summary>Whether there is a value, be it null.</summary>
    public bool Exists => _offset != 0;

    /// <summary>Whether there is no value or the value is <c>null</c>.</summary>
    public bool IsNullOrMissing => _offset == 0 || BinaryLayout.Tag(_data.Span, _offset) == BinaryLayout.Null;

    /// <summary>Elements of an array or properties of an object; 0 for every other kind.</summary>
    public int Count
    {
        get
        {
            if (_offset == 0)
                return 0;
            var data = _data.Span;
            var at = _offset;
            return BinaryLayout.Tag(data, at++) is BinaryLayout.Array or BinaryLayout.Object or BinaryLayout.WideObject
                ? BinaryLayout.ReadVarint(data, ref at)
                : 0;
        }
    }

    /// <summary>An element of an array, found in constant time.</summary>
    /// <param name="index">From 0.</param>
    /// <returns>The element; no value if this is not an array or the index is out of range.</returns>
    public BinaryValue this[int index]
    {
        get
        {
            if (_offset == 0)
                return default;
            var data = _data.Span;
            if (BinaryLayout.Tag(data, _offset) != BinaryLayout.Array)
                return default;
            var width = BinaryLayout.Width(data);
            var at = _offset + 1;
            var count = BinaryLayout.ReadVarint(data, ref at);
            return (uint)index < (uint)count ? Child(data, at, index, width) : default;
        }
    }

    /// <summary>The value of a property.</summary>
    /// <param name="name">The name, which is case-sensitive.</param>
    /// <returns>The value; no value if this is not an object or lacks the property.</returns>
    public BinaryValue this[string name] => TryGetProperty(name, out var value) ? value : default;

    /// <summary>Looks a property up.</summary>
    /// <param name="utf8Name">The name as UTF-8; it is case-sensitive.</param>
    /// <param name="value">The property's value.</param>
    /// <returns><see langword="false"/> if this is not an object or lacks the property.</returns>
    public bool TryGetProperty(ReadOnlySpan<byte> utf8Name, out BinaryValue value)
    {
        value = default;
        if (_offset == 0)
            return false;
        var data = _data.Span;
        var tag = BinaryLayout.Tag(data, _offset);
        if (tag is not (BinaryLayout.Object or BinaryLayout.WideObject))
            return false;
        var at = _offset + 1;
        var count = BinaryLayout.ReadVarint(data, ref at);
        if (count == 0)
            return false;
        var width = BinaryLayout.Width(data);
        var id = BinaryLayout.FindName(data, width, utf8Name);
        if (id < 0)
            return false;
        var index = IndexOfName(data, at, count, tag == BinaryLayout.Object ? 1 : width, id);
        if (index < 0)
            return false;
        value = Child(data, at + count * (tag == BinaryLayout.Object ? 1 : width), index, width);
        return true;
    }

    /// <summary>Looks a property up.</summary>
    /// <param name="name">The name, which is case-sensitive.</param>
    /// <param name="value">The property's value.</param>
    /// <returns><see langword="false"/> if this is not an object or lacks the property.</returns>
    public bool TryGetProperty(ReadOnlySpan<char> name, out BinaryValue value)
    {
        if (name.Length <= 85)
        {
            Span<byte> utf8 = stackalloc byte[255];
            return TryGetProperty(utf8[..Encoding.UTF8.GetBytes(name, utf8)], out value);
        }

        var rented = ArrayPool<byte>.Shared.Rent(Encoding.UTF8.GetMaxByteCount(name.Length));
        var found = TryGetProperty(rented.AsSpan(0, Encoding.UTF8.GetBytes(name, rented)), out value);
        ArrayPool<byte>.Shared.Return(rented);
        return found;
    }

    /// <summary>The elements of an array, in order.</summary>
    /// <returns>An enumerator that allocates nothing; empty if this is not an array.</returns>
    public BinaryArrayEnumerator EnumerateArray()
    {
        if (_offset == 0)
            return default;
        var data = _data.Span;
        if (BinaryLayout.Tag(data, _offset) != BinaryLayout.Array)
            return default;
        var at = _offset + 1;
        var count = BinaryLayout.ReadVarint(data, ref at);
        return new BinaryArrayEnumerator(_data, at, count, BinaryLayout.Width(data), _offset);
    }

    /// <summary>The properties of an object, in the order of the text.</summary>
    /// <returns>An enumerator that allocates nothing; empty if this is not an object.</returns>
    public BinaryObjectEnumerator EnumerateObject()
    {
        if (_offset == 0)
            return default;
        var data = _data.Span;
        var tag = BinaryLayout.Tag(data, _offset);
        if (tag is not (BinaryLayout.Object or BinaryLayout.WideObject))
            return default;
        var at = _offset + 1;
        var count = BinaryLayout.ReadVarint(data, ref at);
        var width = BinaryLayout.Width(data);
        return new BinaryObjectEnumerator(_data, at, count, tag == BinaryLayout.Object ? 1 : width, width, _offset);
    }

    private BinaryValue Child(ReadOnlySpan<byte> data, int offsets, int index, int width) =>
        new(_data, BinaryLayout.CheckedOffset(data, offsets + index * width, width, _offset));

    private static int IndexOfName(ReadOnlySpan<byte> data, int at, int count, int idWidth, int id)
    {
        if (idWidth == 1)
            return id > byte.MaxValue ? -1 : BinaryLayout.Slice(data, at, count).IndexOf((byte)id);
        return idWidth == 2
            ? MemoryMarshal
                .Cast<byte, ushort>(BinaryLayout.Slice(data, at, BinaryLayout.Bytes(data, at, count, 2)))
                .IndexOf((ushort)id)
            : MemoryMarshal
                .Cast<byte, int>(BinaryLayout.Slice(data, at, BinaryLayout.Bytes(data, at, count, 4)))
                .IndexOf(id);
    }

    [DoesNotReturn]
    private static T ThrowTag<T>(int offset)
    {
        BinaryLayout.Corrupt(offset, "an unknown kind of value");
        return default;
    }
}
