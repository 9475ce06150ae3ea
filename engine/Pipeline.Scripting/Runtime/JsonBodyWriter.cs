using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using Pipeline.Json;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// Writes one message's body as compact UTF-8 JSON into a buffer that is used again. One thread at a time.
/// </summary>
internal sealed class JsonBodyWriter : IBufferWriter<byte>
{
    private const int MaxDepth = 128;
    private static readonly SearchValues<char> Escaped = SearchValues.Create([
        .. Enumerable.Range(0, 32).Select(i => (char)i),
        '"',
        '\\',
    ]);

    private byte[] _buffer = new byte[512];
    private int _length;
    private int _depth;
    private int _limit = int.MaxValue;

    public ReadOnlySpan<byte> Written => _buffer.AsSpan(0, _length);

    public void Reset(int limit)
    {
        // One huge body must not keep its buffer for ever.
        if (_buffer.Length > 1 << 20)
            _buffer = new byte[512];
        _length = 0;
        _depth = 0;
        _limit = limit;
    }

    /// <exception cref="ScriptLimitException">More was written than <see cref="Reset"/> allowed.</exception>
    public void CheckLimit()
    {
        if (_length > _limit)
        {
            throw new ScriptLimitException(
                nameof(ScriptLimits.MaxBodyBytes),
                _limit.ToString(CultureInfo.InvariantCulture)
            );
        }
    }

    public static string ToText(ScriptValue value)
    {
        var writer = new JsonBodyWriter();
        value.WriteJson(writer);
        return Encoding.UTF8.GetString(writer.Written);
    }

    public void Advance(int count) => _length += count;

    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Ensure(System.Math.Max(sizeHint, 1));
        return _buffer.AsMemory(_length);
    }

    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Ensure(System.Math.Max(sizeHint, 1));
        return _buffer.AsSpan(_length);
    }

    public void Byte(byte value)
    {
        Ensure(1);
        _buffer[_length++] = value;
    }

    public void Raw(ReadOnlySpan<byte> bytes)
    {
        Ensure(bytes.Length);
        bytes.CopyTo(_buffer.AsSpan(_length));
        _length += bytes.Length;
    }

    public void Null() => Raw("null"u8);

    public void Boolean(bool value) => Raw(value ? "true"u8 : "false"u8);

    public void Integer(long value)
    {
        Ensure(20);
        Utf8Formatter.TryFormat(value, _buffer.AsSpan(_length), out var written);
        _length += written;
    }

    public void Decimal(decimal value)
    {
        Ensure(32);
        value.TryFormat(_buffer.AsSpan(_length), out var written, default, CultureInfo.InvariantCulture);
        _length += written;
    }

    /// <summary>Without the zeros that arithmetic leaves behind: 168.00 is written 168.</summary>
    public void TrimmedDecimal(decimal value)
    {
        var start = _length;
        Decimal(value);
        if (!_buffer.AsSpan(start, _length - start).Contains((byte)'.'))
            return;
        while (_buffer[_length - 1] == (byte)'0')
            _length--;
        if (_buffer[_length - 1] == (byte)'.')
            _length--;
        if (_length - start == 2 && _buffer[start] == (byte)'-' && _buffer[start + 1] == (byte)'0')
        {
            _buffer[start] = (byte)'0';
            _length--;
        }
    }

    /// <exception cref="InvalidOperationException">JSON has no such number.</exception>
    public void Double(double value)
    {
        if (!double.IsFinite(value))
        {
            throw new InvalidOperationException(
                $"{value.ToString(CultureInfo.InvariantCulture)} cannot be written as JSON."
            );
        }

        Ensure(32);
        value.TryFormat(_buffer.AsSpan(_length), out var written, "R", CultureInfo.InvariantCulture);
        _length += written;
    }

    public void String(ReadOnlySpan<char> value)
    {
        Byte((byte)'"');
        while (true)
        {
            var clean = value.IndexOfAny(Escaped);
            var part = clean < 0 ? value : value[..clean];
            Ensure(System.Math.Min(Encoding.UTF8.GetMaxByteCount(part.Length), int.MaxValue - 64));
            _length += Encoding.UTF8.GetBytes(part, _buffer.AsSpan(_length));
            if (clean < 0)
                break;
            Escape(value[clean]);
            value = value[(clean + 1)..];
        }

        Byte((byte)'"');
    }

    private void Escape(char c)
    {
        Ensure(6);
        switch (c)
        {
            case '"':
                Raw("\\\""u8);
                break;
            case '\\':
                Raw("\\\\"u8);
                break;
            case '\n':
                Raw("\\n"u8);
                break;
            case '\r':
                Raw("\\r"u8);
                break;
            case '\t':
                Raw("\\t"u8);
                break;
            default:
                Raw("\\u00"u8);
                Byte("0123456789abcdef"u8[c >> 4]);
                Byte("0123456789abcdef"u8[c & 15]);
                break;
        }
    }

    public void Document(BinaryValue value) => value.WriteTo(this);

    public void Value(ScriptValue? value)
    {
        if (value is null)
            Null();
        else
            value.WriteJson(this);
    }

    public void Any(object? value)
    {
        if (value is null)
            Null();
        else
            JsonTypeWriter.For(value.GetType()).WriteObject(this, value);
    }

    public void Open(byte bracket)
    {
        if (++_depth > MaxDepth)
        {
            throw new InvalidOperationException(
                $"The message is nested deeper than {MaxDepth} levels, or refers to itself."
            );
        }

        ScriptGuard.Step();
        Byte(bracket);
    }

    public void Close(byte bracket)
    {
        _depth--;
        Byte(bracket);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Ensure(int count)
    {
        if (_buffer.Length - _length < count)
            Grow(count);
    }

    private void Grow(int count)
    {
        if (_length > _limit)
        {
            throw new ScriptLimitException(
                nameof(ScriptLimits.MaxBodyBytes),
                _limit.ToString(CultureInfo.InvariantCulture)
            );
        }

        Array.Resize(
            ref _buffer,
            (int)System.Math.Min(Array.MaxLength, System.Math.Max(_buffer.Length * 2L, _length + (long)count))
        );
    }
}
