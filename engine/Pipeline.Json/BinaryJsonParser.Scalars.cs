using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace Pipeline.Json;

public sealed partial class BinaryJsonParser
{
    /// <summary>Parses a string value whose opening quote lies before <paramref name="pos"/>.</summary>
    private int ParseString(ReadOnlySpan<byte> s, int pos)
    {
        var length = JsonTextWriter.CleanLength(s[pos..]);
        var end = pos + length;
        if ((uint)end < (uint)s.Length && s[end] == (byte)'"')
        {
            WriteString(s.Slice(pos, length));
            return end + 1;
        }

        end = Unescape(s, pos, length);
        WriteString(_unescaped.WrittenSpan);
        return end;
    }

    private void WriteString(ReadOnlySpan<byte> utf8)
    {
        Reserve(utf8.Length + 6);
        var target = _output.AsSpan(_length);
        var n = 1;
        if (utf8.Length <= BinaryLayout.MaxShortString)
        {
            target[0] = (byte)(BinaryLayout.FirstShortString + utf8.Length);
        }
        else
        {
            target[0] = BinaryLayout.LongString;
            n += BinaryLayout.WriteVarint(target[1..], utf8.Length);
        }

        utf8.CopyTo(target[n..]);
        _length += n + utf8.Length;
    }

    /// <summary>
    /// Puts a string with escapes into <see cref="_unescaped"/>; returns the place after its closing quote.
    /// </summary>
    private int Unescape(ReadOnlySpan<byte> s, int pos, int clean)
    {
        _unescaped.ResetWrittenCount();
        while (true)
        {
            _unescaped.Write(s.Slice(pos, clean));
            pos += clean;
            if (pos >= s.Length)
                ThrowEnd(s, "the closing quote of a string");
            var c = s[pos];
            if (c == (byte)'"')
                return pos + 1;
            if (c != (byte)'\\')
            {
                throw JsonFormatException.At(
                    JsonErrorKind.InvalidString,
                    s,
                    pos,
                    $"control character 0x{c:X2} in a string (it must be written \\u{c:X4})"
                );
            }

            pos = UnescapeOne(s, pos);
            clean = JsonTextWriter.CleanLength(s[pos..]);
        }
    }

    private int UnescapeOne(ReadOnlySpan<byte> s, int backslash)
    {
        if (backslash + 1 >= s.Length)
            ThrowEnd(s, "an escaped character");
        var b = s[backslash + 1];
        if (b != (byte)'u')
        {
            byte plain = b switch
            {
                (byte)'"' or (byte)'\\' or (byte)'/' => b,
                (byte)'b' => 8,
                (byte)'f' => 12,
                (byte)'n' => 10,
                (byte)'r' => 13,
                (byte)'t' => 9,
                _ => 0,
            };
            if (plain == 0)
                ThrowUnexpected(s, backslash + 1, JsonErrorKind.InvalidString, "one of \"\\/bfnrtu after a backslash");
            _unescaped.GetSpan(1)[0] = plain;
            _unescaped.Advance(1);
            return backslash + 2;
        }

        var unit = HexUnit(s, backslash);
        var pos = backslash + 6;
        if (char.IsLowSurrogate((char)unit))
            ThrowHalfPair(s, backslash, unit);
        Rune rune;
        if (char.IsHighSurrogate((char)unit))
        {
            if (pos + 1 >= s.Length || s[pos] != (byte)'\\' || s[pos + 1] != (byte)'u')
                ThrowHalfPair(s, backslash, unit);
            var low = HexUnit(s, pos);
            if (!char.IsLowSurrogate((char)low))
                ThrowHalfPair(s, backslash, unit);
            rune = new Rune((char)unit, (char)low);
            pos += 6;
        }
        else
        {
            rune = new Rune(unit);
        }

        _unescaped.Advance(rune.EncodeToUtf8(_unescaped.GetSpan(4)));
        return pos;
    }

    private static int HexUnit(ReadOnlySpan<byte> s, int backslash)
    {
        var unit = 0;
        for (var i = backslash + 2; i < backslash + 6; i++)
        {
            if (i >= s.Length)
                ThrowEnd(s, "four hexadecimal digits");
            var digit = HexDigit(s[i]);
            if (digit < 0)
                ThrowUnexpected(s, i, JsonErrorKind.InvalidString, "a hexadecimal digit");
            unit = unit * 16 + digit;
        }

        return unit;
    }

    private static int HexDigit(byte b) =>
        b switch
        {
            >= (byte)'0' and <= (byte)'9' => b - '0',
            >= (byte)'a' and <= (byte)'f' => b - 'a' + 10,
            >= (byte)'A' and <= (byte)'F' => b - 'A' + 10,
            _ => -1,
        };

    private static void ThrowHalfPair(ReadOnlySpan<byte> s, int backslash, int unit) =>
        throw JsonFormatException.At(
            JsonErrorKind.InvalidString,
            s,
            backslash,
            string.Create(CultureInfo.InvariantCulture, $"\\u{unit:X4} is half of a surrogate pair")
        );

    /// <summary>Parses a number; text that does not begin a number is reported as "a value expected".</summary>
    private int ParseNumber(ReadOnlySpan<byte> s, int start)
    {
        var pos = start;
        var negative = s[pos] == (byte)'-';
        if (negative)
            pos++;
        var first = pos;
        ulong mantissa = 0;
        while ((uint)pos < (uint)s.Length && (uint)(s[pos] - '0') <= 9)
            mantissa = mantissa * 10 + (uint)(s[pos++] - '0');
        var digits = pos - first;
        if (digits == 0)
        {
            if (pos >= s.Length)
                ThrowEnd(s, "a digit");
            ThrowUnexpected(
                s,
                pos,
                negative ? JsonErrorKind.InvalidNumber : JsonErrorKind.UnexpectedByte,
                negative ? "a digit" : "a value"
            );
        }

        if (digits > 1 && s[first] == (byte)'0')
            throw JsonFormatException.At(JsonErrorKind.InvalidNumber, s, first, "a number that begins with 0");
        var scale = 0;
        var exponent = false;
        if ((uint)pos < (uint)s.Length)
        {
            if (s[pos] == (byte)'.')
            {
                var point = pos++;
                while ((uint)pos < (uint)s.Length && (uint)(s[pos] - '0') <= 9)
                    mantissa = mantissa * 10 + (uint)(s[pos++] - '0');
                scale = pos - point - 1;
                if (scale == 0)
                    NeedDigit(s, pos);
            }

            if ((uint)pos < (uint)s.Length && (s[pos] | 0x20) == 'e')
            {
                exponent = true;
                pos++;
                if ((uint)pos < (uint)s.Length && s[pos] is (byte)'+' or (byte)'-')
                    pos++;
                var from = pos;
                while ((uint)pos < (uint)s.Length && (uint)(s[pos] - '0') <= 9)
                    pos++;
                if (pos == from)
                    NeedDigit(s, pos);
            }
        }

        // Eighteen digits always fit; one more may, if it is an integer; text of zero with a sign would lose it.
        if (
            exponent
            || digits + scale > 19
            || (digits + scale == 19 && (scale != 0 || mantissa > (ulong)long.MaxValue + (negative ? 1u : 0u)))
            || (negative && mantissa == 0)
        )
        {
            WriteNumberText(s[start..pos]);
        }
        else
        {
            WriteNumber(negative ? (long)(0 - mantissa) : (long)mantissa, scale);
        }

        return pos;
    }

    private static void NeedDigit(ReadOnlySpan<byte> s, int pos)
    {
        if (pos >= s.Length)
            ThrowEnd(s, "a digit");
        ThrowUnexpected(s, pos, JsonErrorKind.InvalidNumber, "a digit");
    }

    private void WriteNumberText(ReadOnlySpan<byte> text)
    {
        Reserve(text.Length + 6);
        _output[_length++] = BinaryLayout.NumberText;
        _length += BinaryLayout.WriteVarint(_output.AsSpan(_length), text.Length);
        text.CopyTo(_output.AsSpan(_length));
        _length += text.Length;
    }

    private void WriteNumber(long value, int scale)
    {
        Reserve(10);
        var target = _output.AsSpan(_length, 10);
        if (scale != 0)
        {
            target[1] = (byte)scale;
            if (value == (int)value)
            {
                target[0] = BinaryLayout.Decimal32;
                BinaryPrimitives.WriteInt32LittleEndian(target[2..], (int)value);
                _length += 6;
            }
            else
            {
                target[0] = BinaryLayout.Decimal64;
                BinaryPrimitives.WriteInt64LittleEndian(target[2..], value);
                _length += 10;
            }
        }
        else if (value is >= BinaryLayout.MinTinyInt and <= BinaryLayout.MaxTinyInt)
        {
            target[0] = (byte)(value + BinaryLayout.TinyIntBias);
            _length += 1;
        }
        else if (value == (sbyte)value)
        {
            target[0] = BinaryLayout.Int8;
            target[1] = (byte)(sbyte)value;
            _length += 2;
        }
        else if (value == (short)value)
        {
            target[0] = BinaryLayout.Int16;
            BinaryPrimitives.WriteInt16LittleEndian(target[1..], (short)value);
            _length += 3;
        }
        else if (value == (int)value)
        {
            target[0] = BinaryLayout.Int32;
            BinaryPrimitives.WriteInt32LittleEndian(target[1..], (int)value);
            _length += 5;
        }
        else
        {
            target[0] = BinaryLayout.Int64;
            BinaryPrimitives.WriteInt64LittleEndian(target[1..], value);
            _length += 9;
        }
    }
}
